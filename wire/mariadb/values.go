package mariadb

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
)

// number reads a signed number of this many bytes.
func number(v uint64, bytes int) string {
	shift := 64 - 8*bytes
	return strconv.FormatInt(int64(v<<shift)>>shift, 10)
}

func float32Of(v uint64) string {
	return strconv.FormatFloat(float64(math.Float32frombits(uint32(v))), 'g', -1, 32)
}

func float64Of(v uint64) string { return strconv.FormatFloat(math.Float64frombits(v), 'g', -1, 64) }

// moment reads a date with or without a time. A time without a date is shown as its bytes.
func moment(b []byte) string {
	if len(b) != 4 && len(b) != 7 && len(b) != 11 {
		return "time:" + hex.EncodeToString(b)
	}
	text := fmt.Sprintf("%04d-%02d-%02d", binary.LittleEndian.Uint16(b), b[2], b[3])
	if len(b) >= 7 {
		text += fmt.Sprintf("T%02d:%02d:%02d", b[4], b[5], b[6])
	}
	if len(b) == 11 {
		text += fmt.Sprintf(".%06d", binary.LittleEndian.Uint32(b[7:]))
	}
	return text
}
