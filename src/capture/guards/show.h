#pragma once

#include <Python.h>

#include <string>

namespace dyad::guards {

/// How an object reads in an explanation: the value of built-in things, a tensor's dtype and shape, the name
/// of a function or class, else the type. Short, and without code of the user's.
std::string show(PyObject* object);

/// The text of a Python str.
std::string text_of(PyObject* str);

}  // namespace dyad::guards
