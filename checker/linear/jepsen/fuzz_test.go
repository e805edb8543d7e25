package jepsen_test

import (
	"bytes"
	"strings"
	"testing"

	"locktorture/checker/linear"
	"locktorture/checker/linear/jepsen"
	"locktorture/history"
)

// odd are inputs at the borders of what is read.
var odd = []string{
	"", "hello world\n", "\x00\x00", "[", "]", "{}", "#", "#_", "^", `"`, "\\", "\xef\xbb\xbf", "\xff\xfe{", "{:a", "{:type :invoke :f\n{:type :ok :process 1}",
	lockEDN, "[" + lockEDN + "]", strings.ReplaceAll(lockEDN, "\n", "\r"), strings.ReplaceAll(lockEDN, "\n", "\r\n"), lockEDN[:len(lockEDN)-20],
	"[{:type :invoke, :f :write, :value #_3 \\a, :process 1}\n]", "#jepsen.history.Op{:type :invoke, :f :read, :process \"w\", :value [1 nil]}",
	"{:type :invoke, :f :read, :process 1.5, :value ##Inf, :error #object[a.B 0x1 \"c\"]}", "{:type :invoke :f :cas :process :a :value [1/2 #:x{:y 1}]}",
	`{"type":"invoke","f":"cas","value":[1,2],"process":0}` + "\n", `[{"type":"invoke","f":"lock","value":"a","process":"p"},{"type":"ok","f":"lock","value":"","process":"p"}]`,
	`{"type":"invoke","f":"add","value":9223372036854775807,"process":1e3}`, `{"type":"\ud83d\ude00"}`, "[" + strings.Repeat("[", 100),
	"{:type :invoke, :process 0, :f :acquire, :value 0}\n{:type :ok, :process 0, :f :acquire, :value 18446744073709551615}\n",
}

// readable checks that what is read is an error or a history that a checker
// takes.
func readable(t *testing.T, file []byte, o jepsen.Options) {
	h, err := jepsen.Read(bytes.NewReader(file), o)
	if err != nil {
		if !strings.HasPrefix(err.Error(), "jepsen history: ") {
			t.Errorf("an error without its place: %v", err)
		}
		return
	}
	for _, object := range h.Objects {
		if err := linear.Validate(object.Operations); err != nil {
			t.Errorf("read, and not well formed: %v", err)
		}
		if len(object.Times) != len(object.Operations) {
			t.Errorf("%d times of %d operations", len(object.Times), len(object.Operations))
		}
	}
}

// FuzzRead looks for plain text, EDN or JSON, that ends the program or is read
// as what no recorder can have meant.
func FuzzRead(f *testing.F) {
	for i, text := range odd {
		f.Add(text, i%2 == 0, byte(i%3))
	}
	f.Fuzz(func(t *testing.T, text string, strict bool, keys byte) {
		readable(t, []byte(text), jepsen.Options{FailedCAS: strict, Keys: jepsen.Keys(keys % 3)})
	})
}

// FuzzReadJSON is FuzzRead for JSON alone, into which a fuzzer does not find
// its way from EDN.
func FuzzReadJSON(f *testing.F) {
	for _, text := range odd {
		if at := strings.IndexByte(text, '"'); at >= 0 {
			f.Add(text[at:])
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		readable(t, []byte(`[{"type":"invoke","process":0,`+text), jepsen.Options{})
		readable(t, []byte(`{"type":"invoke","process":"a","f":"read"}{`+text), jepsen.Options{})
	})
}

// FuzzReadGzip looks at damaged compressed files.
func FuzzReadGzip(f *testing.F) {
	for _, text := range odd {
		f.Add(compressed(text))
	}
	whole := compressed(lockEDN)
	f.Add(whole[:5])
	f.Add(whole[:len(whole)-8])
	f.Fuzz(func(t *testing.T, file []byte) {
		readable(t, append([]byte{0x1f, 0x8b}, file...), jepsen.Options{})
		readable(t, file, jepsen.Options{})
	})
}

// A file that is read in one way is read so in all notations of its lines.
func FuzzLineEnds(f *testing.F) {
	for _, text := range odd {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, "\r\"") {
			return // strings hold their ends of lines as they are
		}
		_, want := jepsen.Read(strings.NewReader(text), jepsen.Options{})
		for _, end := range []string{"\r", "\r\n"} {
			_, got := jepsen.Read(strings.NewReader(strings.ReplaceAll(text, "\n", end)), jepsen.Options{})
			if (want == nil) != (got == nil) || want != nil && want.Error() != got.Error() {
				t.Errorf("with %q: %v, with \\n: %v", end, got, want)
			}
		}
	})
}

// FuzzReadOurs looks for an exported history that ends the program, or is read as one that
// nobody can have recorded.
func FuzzReadOurs(f *testing.F) {
	const head = `{:index 0, :time 0, :type :info, :process :nemesis, :f :torture-run, :value "{}"}` + "\n"
	for _, text := range append(odd, head,
		head+`{:index 1, :time 5, :type :invoke, :process 0, :f :acquire, :value "a", :torture {:process 0, :f "acquire", :lock "a"}}`,
		head+`{:time 5, :type :info, :process :nemesis, :error "x", :torture {:process -1, :f "fault", :key "pause", :fault 1, :traits {:effect "stopped"}}}`,
		head+`{:time 1, :type :info, :process :nemesis, :torture {:process -2, :f "probe", :lock "a", :holds [{:owner "x"}]}}`,
	) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, h, _, err := jepsen.ReadOurs(strings.NewReader(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "exported history: ") {
				t.Errorf("an error without its place: %v", err)
			}
			return
		}
		if err := history.Validate(h); err != nil {
			t.Errorf("read, and no history: %v", err)
		}
	})
}
