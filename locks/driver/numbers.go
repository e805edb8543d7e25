package driver

// A numbers is a set of numbers. It stores 64 neighbours in one word, because lease numbers are
// dense.
type numbers map[int64]uint64

// add inserts a number and reports whether it is new.
func (s numbers) add(n int64) bool {
	word, bit := n>>6, uint64(1)<<(n&63)
	if s[word]&bit != 0 {
		return false
	}
	s[word] |= bit
	return true
}
