// The precompiled header of operators: what the generated files include, too.

#include "pch/pch.h"

#include "dispatch/boxing.h"
