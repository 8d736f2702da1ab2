// The precompiled header of the interpreter: adds headers that most of its files include.

#include "pch/operators_pch.h"

#include "interp/runtime/containers/dict.h"
#include "interp/runtime/objects/exception.h"
#include "interp/runtime/objects/protocols.h"
