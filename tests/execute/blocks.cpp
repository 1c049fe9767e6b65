// Gives the dynamic executor the code of all operators for all element types, so that the tests of
// this program that compare executors run it.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/execute/blocks.hpp>
#include <tfgraph/ops/all.hpp>

#include <boost/hana/for_each.hpp>

namespace {

const bool provided = [] {
  boost::hana::for_each(tfgraph::all_operators, []<class Op>(boost::hana::basic_type<Op>) {
    tfgraph::execute::provide_blocks<Op>();
  });
  return true;
}();

}  // namespace
