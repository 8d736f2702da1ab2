// Reports on the dispatcher as values of the language: dicts, lists, names and numbers. Scripts get
// these, and `--json` prints them.
#pragma once

#include "keys/key_help.h"
#include "keys/switches.h"
#include "observe/reports.h"
#include "observe/route_record.h"

namespace tsc::interp {

IValue make_names(DispatchKeySet keys);
IValue hop_data(const keys::HopRecord& hop);
IValue hops_data(const std::vector<keys::HopRecord>& hops);
IValue rows_data(const std::vector<keys::RowReport>& rows);
IValue column_data(const keys::ColumnReport& column);
IValue columns_data(const std::vector<keys::ColumnRow>& rows);
IValue kernels_data(const std::vector<keys::KernelReport>& kernels);
// `counter` is null where calls are not counted.
IValue switches_data(const std::vector<keys::KeyRow>& rows, const keys::KeyCounter* counter);

}  // namespace tsc::interp
