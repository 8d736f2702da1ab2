// Functions of the formulas of sorting.
#pragma once
