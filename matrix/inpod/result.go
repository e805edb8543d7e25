package inpod

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"locktorture/report/scorecard"
)

// A pod prints its result in parts: a header in a line, then so many bytes in base64. The
// lines stay below 16 KiB, where container runtimes break them.
const (
	partPrefix = "torture-part "
	lineBytes  = 9_000 // 12,000 characters

	partVerdict   = "verdict"
	partDirectory = "directory"

	// largest is how large a packed run directory may be. Kubelets begin a new log at 10 MiB,
	// and show the last one only.
	largest = 6 << 20
)

// A part is the header of one.
type part struct {
	Part  string `json:"part"`
	Bytes int    `json:"bytes"`
	Sum   string `json:"sha256"`
	// Left says why there is no directory; "" if there is one.
	Left string `json:"left,omitempty"`
}

// Print writes what a try came to: its verdict, then its run directory; "": it has none.
func Print(out io.Writer, t scorecard.Try, dir string) error {
	b, err := json.Marshal(t)
	if err != nil {
		return err
	}
	if err := printPart(out, part{Part: partVerdict}, b); err != nil || dir == "" {
		return err
	}
	header := part{Part: partDirectory}
	if b, err = pack(os.DirFS(dir)); err != nil {
		header.Left, b = err.Error(), nil
	} else if len(b) > largest {
		header.Left, b = fmt.Sprintf("packed, it has %.1f MB, but the log of a pod holds only %d", float64(len(b))/(1<<20), largest>>20), nil
	}
	return printPart(out, header, b)
}

func printPart(out io.Writer, header part, b []byte) error {
	sum := sha256.Sum256(b)
	header.Bytes, header.Sum = len(b), hex.EncodeToString(sum[:])
	line, err := json.Marshal(header)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "%s%s\n", partPrefix, line)
	for len(b) > 0 {
		n := min(lineBytes, len(b))
		fmt.Fprintln(w, base64.StdEncoding.EncodeToString(b[:n]))
		b = b[n:]
	}
	return w.Flush()
}

// A Result is what the log of a pod says.
type Result struct {
	Try scorecard.Try
	Dir []byte // the packed run directory; nil: there is none, or it is lost
	// Lost says why a directory that was there is not; "": it is, or there was none.
	Lost string
}

// ErrNoVerdict is that a log has none: its pod was killed, or the log is cut off.
var ErrNoVerdict = errors.New("the log has no verdict")

// ReadResult reads the log of a pod. What is between the parts is for readers of the log.
func ReadResult(log io.Reader) (r Result, err error) {
	in := bufio.NewReaderSize(log, 1<<16)
	seen := false
	for {
		line, err := in.ReadString('\n')
		if text, ok := strings.CutPrefix(line, partPrefix); ok {
			var p part
			if json.Unmarshal([]byte(text), &p) != nil {
				return r, ErrNoVerdict
			}
			b, err := readPart(in, p)
			switch {
			case p.Part == partVerdict && err == nil:
				seen = json.Unmarshal(b, &r.Try) == nil
			case p.Part == partDirectory && p.Left != "":
				r.Lost = p.Left
			case p.Part == partDirectory && err != nil:
				r.Lost = err.Error()
			case p.Part == partDirectory:
				r.Dir = b
			}
		}
		switch {
		case errors.Is(err, io.EOF) && !seen:
			return r, ErrNoVerdict
		case errors.Is(err, io.EOF):
			if r.Try.Dir != "" && r.Dir == nil && r.Lost == "" {
				r.Lost = "the log ends before the directory"
			}
			return r, nil
		case err != nil:
			return r, err
		}
	}
}

// readPart reads the bytes that follow a header.
func readPart(in *bufio.Reader, p part) ([]byte, error) {
	if p.Bytes < 0 || p.Bytes > 2*largest {
		return nil, fmt.Errorf("a part of %d bytes", p.Bytes)
	}
	var b bytes.Buffer
	for b.Len() < p.Bytes {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("%d of %d bytes are there", b.Len(), p.Bytes)
		}
		piece, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, fmt.Errorf("after %d of %d bytes: %w", b.Len(), p.Bytes, err)
		}
		b.Write(piece)
	}
	if sum := sha256.Sum256(b.Bytes()); hex.EncodeToString(sum[:]) != p.Sum {
		return nil, errors.New("its checksum differs from the checksum that the pod printed")
	}
	return b.Bytes(), nil
}
