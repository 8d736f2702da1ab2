// The precompiled header of operators: what the generated files include, too.

#include "dispatch/boxing.h"
#include "pch/pch.h"
