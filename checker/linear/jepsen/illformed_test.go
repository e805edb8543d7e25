package jepsen_test

import (
	"strings"
	"testing"

	"locktorture/checker/linear/jepsen"
)

// Ill-formed files get an error with the line, and never a verdict.
func TestIllFormed(t *testing.T) {
	invoke := "{:type :invoke, :f :acquire, :process 0, :time 10}\n"
	pair := func(f, value, answer string) string {
		return "{:type :invoke, :f :" + f + ", :process 0, :value " + value + "}\n{:type :ok, :f :" + f + ", :process 0, :value " + answer + "}\n"
	}
	for name, c := range map[string]struct{ text, want string }{
		"words":                 {"hello world\n", "line 1: an entry begins with {, not with 'h'"},
		"NULs":                  {strings.Repeat("\x00", 300), `line 1: an entry begins with {, not with '\x00'`},
		"NULs after entries":    {invoke + strings.Repeat("\x00", 300), `line 2: an entry begins with {, not with '\x00'`},
		"NUL in a name":         {"{:type :inv\x00oke}\n", "line 1: a word contains the byte 0x0"},
		"no map":                {invoke + "acquire\n" + invoke, "line 2: an entry begins with {, not with 'a'"},
		"UTF-16":                {"\xff\xfe{\x00", "line 1: invalid UTF-8"},
		"a set":                 {"#{1 2}\n", "line 1: an entry is a map, not a set"},
		"vector in a vector":    {"[[" + invoke + "]]", "line 1: an entry is a map, not a list"},
		"a tagged string":       {"#inst \"2026\"\n", `line 1: an entry is a map, not a #inst of '"'`},
		"a bracket too many":    {invoke + "]", "line 2: an entry begins with {, not with ']'"},
		"other bracket":         {"[" + invoke + ")", "line 2: an entry begins with {, not with ')'"},
		"metadata of a vector":  {"^:a [1]\n", "line 1: an entry is a map"},
		"no process":            {"{:type :invoke, :f :acquire}\n", "line 1: no process"},
		"nil process":           {"{:type :invoke, :f :acquire, :process nil}\n", "line 1: no process"},
		"vector as process":     {"{:type :invoke, :f :acquire, :process [1]}\n", "line 1: process [1] is neither a number nor a name"},
		"no type":               {"{:f :acquire, :process 0}\n", "line 1: no type"},
		"no f":                  {"{:type :invoke, :process 0}\n", "line 1: no f"},
		"numbers as both":       {"{:type 0, :f 1, :process 0}\n", "line 1: type 0 is not a name"},
		"number as f":           {"{:type :invoke, :f 3, :process 0}\n", "line 1: f 3 is not a name"},
		"unknown type":          {"{:type :maybe, :f :acquire, :process 0}\n", `line 1: unknown type "maybe"`},
		"two types":             {"{:type :ok, :type :fail, :f :acquire, :process 0}\n", "line 1: the key :type occurs twice in a map"},
		"key without a value":   {"{:type :ok :f}\n", "line 1: a map has a key without a value"},
		"two at once":           {invoke + invoke, "line 2: process 0 invokes acquire while its acquire of line 1 is under way"},
		"completion alone":      {"{:type :ok, :f :acquire, :process 0}\n", "line 1: process 0 completes a acquire that it did not invoke"},
		"another completion":    {invoke + "{:type :ok, :f :release, :process 0}\n", "line 2: process 0 completes a release that it did not invoke"},
		"text and number":       {invoke + "{:type :ok, :f :acquire, :process \"0\"}\n", `line 2: process "0" completes a acquire that it did not invoke`},
		"unknown f":             {pair("dance", "nil", "nil"), "line 1: dance: unknown f"},
		"invalid UTF-8":         {"{:type :invoke, :f \"\xff\", :process 0}\n", "line 1: invalid UTF-8"},
		"UTF-8 after a while":   {strings.Repeat("\n", 3000) + "\xff", "line 3001: invalid UTF-8"},
		"UTF-8 between reads":   {strings.Repeat("\n", 4094) + ";\xe2\xff", "line 4095: invalid UTF-8"},
		"huge entry":            {"{:type :invoke, :f \"" + strings.Repeat("x", 2<<20) + "\"}\n", "line 1: an entry is longer than 1 MiB"},
		"nested too deeply":     {"{:value " + strings.Repeat("[", 1000) + "\n", "line 1: nested too deeply"},
		"cut off in the middle": {invoke + "{:type :invoke, :f\n" + invoke, "line 4: the entry of line 2 has no end"},
		"a string without end":  {invoke + "{:error \"x\n" + invoke, "line 4: the entry of line 2 has no end"},
		"JSON without end":      {"{\"type\":\"ok\",\"f\":\"read\",\"process\":0}\n{\"f\":\n{\"type\":\"ok\",\"process\":0}\n", "line 3: the entry of line 2 has no end"},
		"unknown escape":        {`{:type "\q"}`, `line 1: unknown escape \q`},
		"half a character":      {`{:type "\ud800"}`, `line 1: half a character`},
		"bad index":             {"{:type :invoke, :f :acquire, :process 0, :index :a}\n", "line 1: index :a is not a place in a history"},
		"an index twice":        {"{:type :invoke, :f :acquire, :process 0, :index 1}\n{:type :ok, :f :acquire, :process 0, :index 1}\n", "line 2: index 1 occurs again, after line 1"},
		"some indices":          {"{:type :invoke, :f :acquire, :process 0, :index 1}\n{:type :ok, :f :acquire, :process 0, :index 0}\n" + invoke, "line 2: some entries have no index, and the entries with an index are not in the order of their indices"},
		"bad time":              {"{:type :invoke, :f :acquire, :process 0, :time 1.5}\n", "line 1: time 1.5 is not a number of nanoseconds"},
		"bad cas":               {pair("cas", "3", "3"), "line 1: cas: the value of a cas must be [from to]"},
		"token out of range":    {pair("acquire", "nil", "18446744073709551616"), "line 1: acquire: token 18446744073709551616 is out of range: tokens are from 1 to 2⁶⁴-1"},
		"negative token":        {pair("acquire", "nil", "{:fence -3}"), "line 1: acquire: token -3 is out of range: tokens are from 1 to 2⁶⁴-1"},
		"half a token":          {pair("acquire", "nil", "1.5"), "line 1: acquire: token 1.5 is not an integer"},
		"token 0 beside others": {pair("acquire", "nil", "0") + pair("release", "nil", "nil") + pair("acquire", "nil", "1"), "line 2: a token is 0, but others are not: tokens begin at 1"},
		"addition of a text":    {pair("add", `"x"`, "nil"), `line 1: add: "x" is not an integer`},
		"addition out of range": {pair("add", "9223372036854775808", "nil"), "line 1: add: 9223372036854775808 is out of range"},
		"answer of a text":      {pair("fetch-add", "1", "nil"), "line 1: fetch-add: nil is not a number"},
		"values written alike":  {pair("write", "1", "1") + pair("read", "nil", `"1"`), `line 3: read: "1" is not the same as the value of line 1, but both are written alike`},
		"list and text":         {pair("write", "[1 2]", "nil") + pair("read", "nil", `"1,2"`), `line 3: read: "1,2" is not the same as the value of line 1, but both are written alike`},
		"answer of another key": {pair("read", "[1 nil]", "[2 7]"), "line 1: read of key 1 is answered in line 2 with [2 7], which is not a value of that key"},
		"names of one process":  {pair("acquire", `"a"`, "nil"), "line 1: each call of a lock has a value, but no two"},
		"JSON, no object":       {`[{"type":"invoke","f":"acquire","process":0},3]`, "line 1: an entry is an object, not 3"},
		"JSON, broken":          {"{\"type\":\"invoke\",\"f\":\"acquire\",\"process\":0}\n{\"type\" \"invoke\"}\n", "line 2: invalid character '\"' after object key"},
		"JSON, a key twice":     {`{"type":"ok","type":"fail"}`, `line 1: the key "type" occurs twice in a map`},
		"JSON, nested":          {`{"value":` + strings.Repeat("[", 1000), "line 1: nested too deeply"},
		"JSON, a NUL after":     {"{\"type\":\"invoke\",\"f\":\"acquire\",\"process\":0}\n\x00", `line 2: invalid character '\x00' looking for beginning of value`},
		"JSON, object as type":  {"{\"type\":{\"a\":1},\"process\":0}", "line 1: type {a 1} is not a name"},
	} {
		t.Run(name, func(t *testing.T) {
			h, err := jepsen.Read(strings.NewReader(c.text), jepsen.Options{})
			if err == nil || !strings.HasPrefix(err.Error(), "jepsen history: "+c.want) {
				t.Errorf("got %v, want %s; %+v", err, c.want, h)
			}
		})
	}
}
