// Reports on the dispatcher as values of the language: dicts, lists, names and numbers. Scripts get
// these, and `--json` prints them.
#pragma once

#include "keys/key_help.h"
#include "keys/switches.h"
#include "observe/reports.h"
#include "observe/route_record.h"

namespace tsc::interp {

IValue make_names(DispatchKeySet keys);
IValue hop_data(const observe::HopRecord& hop);
IValue hops_data(const std::vector<observe::HopRecord>& hops);
IValue rows_data(const std::vector<observe::RowReport>& rows);
IValue column_data(const observe::ColumnReport& column);
IValue columns_data(const std::vector<keys::ColumnRow>& rows);
IValue kernels_data(const std::vector<observe::KernelReport>& kernels);
// `counter` is null where calls are not counted.
IValue switches_data(const std::vector<keys::KeyRow>& rows, const observe::KeyCounter* counter);

}  // namespace tsc::interp
