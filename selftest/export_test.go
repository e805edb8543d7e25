package selftest

// Commands are the arguments of torture for each run of a table, in order.
func Commands(t Table, o Options) (all [][]string) {
	for _, r := range t.runs(o) {
		all = append(all, r.command())
	}
	return all
}
