// The precompiled header of operators: adds headers that the generated files include.

#include "pch/pch.h"

#include "dispatch/boxing.h"
