package jepsen_test

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/checker/linear"
	"locktorture/checker/linear/jepsen"
)

const lockEDN = `{:type :invoke, :f :acquire, :value nil, :process 0, :time 10, :index 0}
{:type :info, :f :start, :value nil, :process :nemesis, :time 11, :index 1}
#jepsen.history.Op{:index 2, :time 20, :type :ok, :process 0, :f :acquire, :value 33}
{:type :invoke, :f :acquire, :process 1, :time 21, :value nil} ; a comment
{:process 1, :type :fail, :f :acquire, :time 30, :value nil, :error [:taken "by \"0\"" {:a #{1 2}}]}
{:type :invoke, :f :release, :value {:token 33}, :process 0, :time 40}
{:type :info, :f :release, :value nil, :process 0, :time 50, :error :timeout}
`

var lockOps = []linear.Operation{
	{Process: 0, F: linear.Acquire, Status: linear.OK, Call: 10, Return: 20, Token: 33, Line: 1},
	{Process: 1, F: linear.Acquire, Status: linear.Refused, Call: 21, Return: 30, Line: 4},
	{Process: 0, F: linear.Release, Status: linear.Pending, Call: 40, Return: 50, Token: 33, Line: 6},
}

func TestReadEDN(t *testing.T) {
	h, err := jepsen.Read(strings.NewReader(lockEDN))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(lockOps, h.Operations); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if h.Truncated || !h.Timed || h.Functions["acquire"] != 2 {
		t.Errorf("%+v", h)
	}
}

func TestReadJSON(t *testing.T) {
	const text = `{"type":"invoke","f":"cas","value":[1,2],"process":0}
{"type":"invoke","f":"read","value":null,"process":1}
{"type":"ok","f":"read","value":[1,"a"],"process":1}
{"type":"fail","f":"cas","value":[1,2],"process":0}
{"type":"invoke","f":"fetch-add","value":2,"process":"nemesis"}
{"type":"invoke","f":"fetch-add","value":2,"process":2}
`
	h, err := jepsen.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	want := []linear.Operation{
		{Process: 1, F: linear.Read, Status: linear.OK, Call: 2, Return: 3, Value: "1,a", Line: 2},
		{Process: 0, F: linear.CAS, Status: linear.Refused, Call: 1, Return: 4, Expect: "1", Value: "2", Line: 1},
		{Process: 2, F: linear.FetchAdd, Call: 5, Delta: 2, Line: 6},
	}
	if d := cmp.Diff(want, h.Operations); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func TestReadGzip(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(lockEDN))
	_ = z.Close()
	whole := b.Bytes()
	h, err := jepsen.Read(bytes.NewReader(whole))
	if err != nil || len(h.Operations) != 3 {
		t.Fatalf("%v %v", h, err)
	}
	h, err = jepsen.Read(bytes.NewReader(whole[:len(whole)-8])) // without its check sum
	if err != nil || !h.Truncated {
		t.Errorf("a cut-off gzip file: %+v, %v", h, err)
	}
}

// Only a cut-off last line is forgiven: what was under way is unknown.
func TestCutOff(t *testing.T) {
	text := lockEDN[:strings.Index(lockEDN, ":value {:token")]
	h, err := jepsen.Read(strings.NewReader(text))
	if err != nil || !h.Truncated || len(h.Operations) != 2 {
		t.Fatalf("%+v, %v", h, err)
	}
}

// Ill-formed files get an error with the line, and never a verdict.
func TestIllFormed(t *testing.T) {
	invoke := "{:type :invoke, :f :acquire, :process 0, :time 10}\n"
	for name, c := range map[string]struct{ text, want string }{
		"no map":                {invoke + "acquire\n" + invoke, "line 2: no map"},
		"two at once":           {invoke + invoke, "line 2: process 0 invokes acquire while its acquire of line 1 is under way"},
		"completion alone":      {"{:type :ok, :f :acquire, :process 0}\n", "line 1: process 0 completes a acquire that it did not invoke"},
		"unknown f":             {"{:type :invoke, :f :dance, :process 0}\n{:type :ok, :f :dance, :process 0}\n", "line 2: dance of line 1: unknown f"},
		"unknown type":          {"{:type :maybe, :f :acquire, :process 0}\n", `line 1: unknown type "maybe"`},
		"invalid UTF-8":         {"{:type :invoke, :f \"\xff\", :process 0}\n", "line 1: invalid UTF-8"},
		"time goes backwards":   {invoke + "{:type :ok, :f :acquire, :process 0, :time 9}\n", "line 2: time goes backwards"},
		"huge line":             {"{:type :invoke, :f \"" + strings.Repeat("x", 1<<20) + "\"}\n", "line 1: longer than 1 MiB"},
		"nested too deeply":     {"{:value " + strings.Repeat("[", 1000) + "\n", "line 1: nested too deeply"},
		"cut off in the middle": {"{:type :invoke, :f\n" + invoke, "line 1: map is cut off"},
		"goes on":               {invoke + "{:type :info, :f :acquire, :process 0, :time 11}\n{:type :invoke, :f :acquire, :process 0, :time 12}\n", "line 3: process 0 goes on after an unknown outcome"},
		"sometimes a time":      {invoke + "{:type :ok, :f :acquire, :process 0}\n", "line 2: some lines have a time and some have none"},
		"bad cas":               {"{:type :invoke, :f :cas, :process 0, :value 3}\n{:type :ok, :f :cas, :process 0}\n", "line 2: cas of line 1: the value of a cas is [from to]"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := jepsen.Read(strings.NewReader(c.text))
			if err == nil || err.Error() != "jepsen history: "+c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// Whatever is read, it is an error or a history that a checker takes.
func FuzzRead(f *testing.F) {
	f.Add(lockEDN)
	f.Add(`{"type":"invoke","f":"cas","value":[1,2],"process":0}` + "\n")
	f.Add("[{:type :invoke, :f :write, :value #_3 \\a, :process 1}\n]")
	f.Fuzz(func(t *testing.T, text string) {
		h, err := jepsen.Read(strings.NewReader(text))
		if err != nil {
			return
		}
		if err := linear.Validate(h.Operations); err != nil {
			t.Errorf("read, and not well formed: %v", err)
		}
	})
}
