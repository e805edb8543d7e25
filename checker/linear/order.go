package linear

import (
	"cmp"
	"slices"
)

// A keyed is an index with the key by which it is sorted.
type keyed struct {
	key int64
	i   int32
}

// byKey returns 0…n-1 in the order of their keys, stable. A history is often in order already,
// so that is checked first. Otherwise a long list is sorted by radix.
func byKey(n int, key func(int32) int64) []int32 {
	all := make([]keyed, n)
	order := make([]int32, n)
	sorted := true
	var differ uint64
	last := int64(-1 << 63)
	for i := range all {
		k := key(int32(i))
		all[i] = keyed{k, int32(i)}
		order[i] = int32(i)
		differ |= uint64(k ^ all[0].key)
		sorted = sorted && last <= k
		last = k
	}
	if sorted {
		return order
	}
	if n < 1<<8 {
		slices.SortFunc(all, func(a, b keyed) int {
			if a.key != b.key {
				return cmp.Compare(a.key, b.key)
			}
			return int(a.i - b.i)
		})
	} else {
		all = radix(all, differ)
	}
	for k := range all {
		order[k] = all[k].i
	}
	return order
}

// radix sorts by the digits in which the keys differ.
func radix(all []keyed, differ uint64) []keyed {
	bits := 11
	if len(all) < 1<<13 {
		bits = 8 // the counts have to be worth it
	}
	digit := uint64(1)<<bits - 1
	other := make([]keyed, len(all))
	var counts [1<<11 + 1]int32
	start := counts[:digit+2]
	for shift := 0; shift < 64; shift += bits {
		if differ>>shift&digit == 0 {
			continue
		}
		clear(start)
		for k := range all {
			start[(uint64(all[k].key)^1<<63)>>shift&digit+1]++
		}
		for d := range digit + 1 {
			start[d+1] += start[d]
		}
		for k := range all {
			d := (uint64(all[k].key) ^ 1<<63) >> shift & digit
			other[start[d]] = all[k]
			start[d]++
		}
		all, other = other, all
	}
	return all
}
