package history

// A LineParser parses single entries in the form of AppendJSON. It does not check the rules of
// a history, because the Recorder that receives the entries does.
type LineParser struct{ names interner }

// NewLineParser returns one.
func NewLineParser() *LineParser { return &LineParser{interner{map[string]string{}}} }

// Parse reads one entry.
func (p *LineParser) Parse(line []byte) (op Op, err error) {
	err = parse(line, &p.names, &op)
	return op, err
}
