// The precompiled header of the interpreter: what most of its files include, too.

#include "pch/operators_pch.h"

#include "interp/runtime/dict.h"
#include "interp/runtime/exception.h"
#include "interp/runtime/protocols.h"
