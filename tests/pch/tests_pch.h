// The precompiled header of the C++ tests.

#include "pch/pch.h"

#include <doctest/doctest.h>
