// The entry point of every C++ test program. The precompiled header has seen
// doctest before, so both names are needed for its second part.
#define DOCTEST_CONFIG_IMPLEMENT
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
