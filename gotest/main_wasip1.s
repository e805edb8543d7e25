// A function without a body, main_wasip1.go, needs a file like this one beside it.
