// What keys/ reports of the dispatcher, as values of the language: dicts, lists, names and numbers.
// Scripts get these, and `--json` prints them.
#pragma once

#include "keys/reports.h"
#include "keys/route_record.h"
#include "keys/switches.h"

namespace tsc::interp {

IValue make_names(DispatchKeySet keys);
IValue hop_data(const keys::HopRecord& hop);
IValue hops_data(const std::vector<keys::HopRecord>& hops);
IValue rows_data(const std::vector<keys::RowReport>& rows);
IValue column_data(const keys::ColumnReport& column);
IValue kernels_data(const std::vector<keys::KernelReport>& kernels);
// `counter` may be null: nobody counts.
IValue switches_data(const std::vector<keys::KeyRow>& rows, const keys::KeyCounter* counter);

}  // namespace tsc::interp
