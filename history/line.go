package history

// A LineParser reads entries that come one by one, each in the form that AppendJSON gives it.
// It does not hold them against the rules of a history, as a Recorder does that takes them.
type LineParser struct{ names interner }

// NewLineParser returns one.
func NewLineParser() *LineParser { return &LineParser{interner{map[string]string{}}} }

// Parse reads one entry.
func (p *LineParser) Parse(line []byte) (op Op, err error) {
	err = parse(line, &p.names, &op)
	return op, err
}
