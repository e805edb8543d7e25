package machine

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The numbers of the sections of a module that takeImage handles.
const (
	sectionGlobal    = 6
	sectionExport    = 7
	sectionData      = 11
	sectionDataCount = 12
)

var errNoImage = errors.New("the module does not have the form that Go's linker produces")

// takeImage splits a module into its code and its initial memory. With the data removed from the
// module, processes share the image until they write, instead of copying it. The code exports its
// globals under the names of globalName, so that a snapshot can restore their values.
func takeImage(wasm []byte) (code, image []byte, err error) {
	if len(wasm) < 8 || string(wasm[:4]) != "\x00asm" {
		return nil, nil, errNoImage
	}
	r := &moduleReader{b: wasm, at: 8}
	globals := 0
	code = append(code, wasm[:8]...)
	for r.at < len(wasm) && !r.bad {
		start := r.at
		id := r.byte()
		size := r.uint()
		end := r.at + size
		switch id {
		case sectionDataCount:
		case sectionData:
			image = r.data(image)
		case sectionExport:
			code = append(code, r.exports(end, globals)...)
		default:
			if id == sectionGlobal {
				globals = r.uint()
			}
			if end <= len(wasm) {
				code = append(code, wasm[start:end]...)
			}
		}
		r.at = end
	}
	if r.bad || r.at != len(wasm) {
		return nil, nil, errNoImage
	}
	return code, image, nil
}

// A moduleReader reads the binary format of WebAssembly. It sets bad at any unexpected input.
type moduleReader struct {
	b   []byte
	at  int
	bad bool
}

func (r *moduleReader) byte() byte {
	if r.at < 0 || r.at >= len(r.b) {
		r.bad = true
		return 0
	}
	r.at++
	return r.b[r.at-1]
}

// uint reads a LEB128 number. It also serves for signed numbers, because the linker writes no
// negative addresses.
func (r *moduleReader) uint() (v int) {
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		v |= int(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
	r.bad = true
	return 0
}

// globalName returns the name under which the n-th global is exported.
func globalName(n int) string { return fmt.Sprintf("global-%d", n) }

// exports returns the section of exports with the globals added.
func (r *moduleReader) exports(end, globals int) []byte {
	const isGlobal = 3
	n := r.uint()
	if r.bad || end > len(r.b) || r.at > end {
		r.bad = true
		return nil
	}
	list := binary.AppendUvarint(nil, uint64(n+globals))
	list = append(list, r.b[r.at:end]...)
	for i := range globals {
		name := globalName(i)
		list = append(binary.AppendUvarint(list, uint64(len(name))), name...)
		list = binary.AppendUvarint(append(list, isGlobal), uint64(i))
	}
	return append(binary.AppendUvarint([]byte{sectionExport}, uint64(len(list))), list...)
}

// data copies the segments of a data section into an image. Each must have a constant address in
// memory 0.
func (r *moduleReader) data(image []byte) []byte {
	const (
		active   = 0
		i32Const = 0x41
		end      = 0x0b
	)
	for n := r.uint(); n > 0 && !r.bad; n-- {
		if r.byte() != active || r.byte() != i32Const {
			r.bad = true
		}
		to := r.uint()
		if r.byte() != end {
			r.bad = true
		}
		size := r.uint()
		if r.bad || r.at+size > len(r.b) || to+size > maxPages*pageSize {
			r.bad = true
			return nil
		}
		if need := to + size; need > len(image) {
			image = append(image, make([]byte, need-len(image))...)
		}
		copy(image[to:], r.b[r.at:r.at+size])
		r.at += size
	}
	return image
}
