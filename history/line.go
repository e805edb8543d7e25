package history

// A LineParser parses single entries in the form of AppendJSON. It does not check the rules of a
// history: the Recorder that receives the entries checks them.
type LineParser struct{ names interner }

// NewLineParser returns a parser with no interned strings.
func NewLineParser() *LineParser { return &LineParser{interner{map[string]string{}}} }

// Parse parses one line without its newline.
func (p *LineParser) Parse(line []byte) (op Op, err error) {
	err = parse(line, &p.names, &op)
	return op, err
}
