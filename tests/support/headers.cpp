// Gives the headers that are compiled for all tests a library to belong to.
// SPDX-License-Identifier: BSL-1.0
