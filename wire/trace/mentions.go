package trace

// Mentions reports whether the message of a row, or its request, contains a name as a whole word.
func (r Row) Mentions(name string) bool { return r.message.Mentions(name) }
