package linear_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/checker/linear"
	"locktorture/history"
)

// steps makes a history of entries "process type f [who refused]", one a
// stamp, all of the lock "a"; a token follows an ok as a number. Another stamp
// is written as @5, another lock as /b.
func steps(t *testing.T, text string) (h []history.Op) {
	t.Helper()
	for i, line := range strings.Split(text, ";") {
		f := strings.Fields(line)
		op := history.Op{Time: int64(i + 1), Process: int(f[0][0] - '0'), Type: history.Type(f[1]), F: history.F(f[2]), Lock: "a"}
		if op.F == history.Crash {
			op.Lock = ""
		}
		for _, rest := range f[3:] {
			switch {
			case rest[0] == '@':
				op.Time = int64(rest[1] - '0')
			case rest[0] == '/':
				op.Lock = rest[1:]
			case rest[0] >= '0' && rest[0] <= '9':
				op.Token = uint64(rest[0] - '0')
			default:
				op.Refused = rest
			}
		}
		h = append(h, op)
	}
	return h
}

// A built row is a history, and what its entries amount to.
type built struct {
	h    string
	want []linear.Operation
}

// builds compares what each history amounts to, for a lock.
func builds(t *testing.T, rows map[string]built) {
	t.Helper()
	for name, c := range rows {
		t.Run(name, func(t *testing.T) {
			got, err := linear.FromHistory(steps(t, c.h))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got.Locks["a"]); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

// granted is the grant that histories of one process begin with.
func granted() linear.Operation {
	return linear.Operation{Process: 1, F: linear.Acquire, Status: linear.OK, Call: 1, Return: 2}
}

// What ends the lease of a client.
func TestBuilder(t *testing.T) {
	const ok, no = linear.OK, linear.Refused
	grant := granted()
	builds(t, map[string]built{
		"a release that the server refuses ends it": {
			"1 invoke acquire; 1 ok acquire; 1 invoke release; 1 fail release server; 1 info crash",
			[]linear.Operation{grant, {Process: 1, F: linear.Release, Status: no, Call: 3, Return: 4, Line: 2}},
		},
		"a release that the guard refuses is an end": {
			"1 invoke acquire; 1 ok acquire; 1 invoke release; 1 fail release client; 1 info crash",
			[]linear.Operation{grant, {Process: 1, F: linear.End, Call: 3}},
		},
		"a refused renewal ends it, too": {
			"1 invoke acquire; 1 ok acquire; 1 invoke renew; 1 fail renew server; 1 info crash",
			[]linear.Operation{grant, {Process: 1, F: linear.Renew, Status: no, Call: 3, Return: 4, Line: 2}},
		},
		"a renewal that the guard refuses is nothing": {
			"1 invoke acquire; 1 ok acquire; 1 invoke renew; 1 fail renew client; 1 info crash",
			[]linear.Operation{grant, {Process: 1, F: linear.End, Call: 5}},
		},
		"a crash ends after the renewal": {
			"1 invoke acquire; 1 ok acquire 7; 1 invoke renew 7; 1 ok renew 7; 1 info crash",
			[]linear.Operation{
				{Process: 1, F: linear.Acquire, Status: ok, Call: 1, Return: 2, Token: 7},
				{Process: 1, F: linear.Renew, Status: ok, Call: 3, Return: 4, Token: 7, Line: 2}, {Process: 1, F: linear.End, Call: 5, Token: 7},
			},
		},
		"a crash in a release": {
			"1 invoke acquire; 1 ok acquire; 1 invoke release; 1 info crash",
			[]linear.Operation{grant, {Process: 1, F: linear.Release, Call: 3, Line: 2}},
		},
		"a crash in an acquire": {
			"1 invoke acquire; 1 info crash",
			[]linear.Operation{{Process: 1, F: linear.Acquire, Call: 1}},
		},
		"a crash that had released": {
			"1 invoke acquire; 1 ok acquire; 1 invoke release; 1 ok release; 1 info crash",
			[]linear.Operation{grant, {Process: 1, F: linear.Release, Status: ok, Call: 3, Return: 4, Line: 2}},
		},
	})
}

// A loss that was told ends a lease when the client turns to something else.
func TestBuilderLoss(t *testing.T) {
	const ok = linear.OK
	grant := granted()
	builds(t, map[string]built{
		"a told loss that nothing follows": {
			"1 invoke acquire; 1 ok acquire; 1 info lost",
			[]linear.Operation{grant, {Process: 1, F: linear.End, Call: 3}},
		},
		"a told loss, then a renewal": {
			"1 invoke acquire; 1 ok acquire; 1 info lost; 1 invoke renew; 1 fail renew server",
			[]linear.Operation{grant, {Process: 1, F: linear.End, Call: 3}},
		},
		"a told loss, then another acquire": {
			"1 invoke acquire; 1 ok acquire; 1 info lost; 1 invoke acquire; 1 ok acquire",
			[]linear.Operation{
				grant, {Process: 1, F: linear.End, Status: ok, Call: 3, Return: 4},
				{Process: 1, F: linear.Acquire, Status: ok, Call: 4, Return: 5, Line: 3},
			},
		},
		"a told loss, then an acquire of unknown outcome": {
			"1 invoke acquire; 1 ok acquire; 1 info lost; 1 invoke acquire; 1 info acquire",
			[]linear.Operation{grant, {Process: 1, F: linear.End, Status: ok, Call: 3, Return: 4}, {Process: 1, F: linear.Acquire, Call: 4, Line: 3}},
		},
		"a loss that is told while it is renewed": {
			"1 invoke acquire; 1 ok acquire; 1 invoke renew; 1 info lost; 1 ok renew",
			[]linear.Operation{grant, {Process: 1, F: linear.End, Call: 4}},
		},
		"a loss that is told while another lock is released": {
			"1 invoke acquire; 1 ok acquire; 1 invoke acquire /b; 1 ok acquire /b; 1 invoke release /b; 1 info lost; 1 ok release /b",
			[]linear.Operation{grant, {Process: 1, F: linear.End, Call: 6}},
		},
		"a grant with another token, which is no re-entry": {
			"1 invoke acquire; 1 ok acquire 1; 1 invoke acquire; 1 ok acquire 2; 1 invoke release 2; 1 ok release 2; 1 info crash",
			[]linear.Operation{
				{Process: 1, F: linear.Acquire, Status: ok, Call: 1, Return: 2, Token: 1}, {Process: 1, F: linear.Acquire, Status: ok, Call: 3, Return: 4, Token: 2, Line: 2},
				{Process: 1, F: linear.Release, Status: ok, Call: 5, Return: 6, Token: 2, Line: 4},
			},
		},
		"a loss that is told while it is released": {
			"1 invoke acquire; 1 ok acquire; 1 invoke release; 1 info lost; 1 ok release",
			[]linear.Operation{grant, {Process: 1, F: linear.Release, Status: ok, Call: 3, Return: 5, Line: 2}},
		},
		"a loss of what is not held": {
			"1 info lost; 1 invoke acquire; 1 ok acquire",
			[]linear.Operation{{Process: 1, F: linear.Acquire, Status: ok, Call: 2, Return: 3, Line: 1}},
		},
	})
}

// What ends one of several entries.
func TestBuilderReentry(t *testing.T) {
	const ok, no = linear.OK, linear.Refused
	grant := granted()
	builds(t, map[string]built{
		"re-entry, and a crash after one release": {
			"1 invoke acquire; 1 ok acquire; 1 invoke acquire; 1 ok acquire; 1 invoke release; 1 ok release; 1 info crash",
			[]linear.Operation{
				grant, {Process: 1, F: linear.Acquire, Status: ok, Call: 3, Return: 4, Line: 2},
				{Process: 1, F: linear.Release, Status: ok, Call: 5, Return: 6, Line: 4}, {Process: 1, F: linear.End, Call: 7, Line: 2},
			},
		},
		"re-entry, and a release of unknown outcome": {
			"1 invoke acquire; 1 ok acquire; 1 invoke acquire; 1 ok acquire; 1 invoke release; 1 info release; 1 info crash",
			[]linear.Operation{
				grant, {Process: 1, F: linear.Acquire, Status: ok, Call: 3, Return: 4, Line: 2},
				{Process: 1, F: linear.Release, Call: 5, Line: 4}, {Process: 1, F: linear.End, Call: 7, Line: 2},
			},
		},
		"re-entry, and a refused release of all": {
			"1 invoke acquire; 1 ok acquire; 1 invoke acquire; 1 ok acquire; 1 invoke release; 1 fail release server; 1 info crash",
			[]linear.Operation{
				grant, {Process: 1, F: linear.Acquire, Status: ok, Call: 3, Return: 4, Line: 2},
				{Process: 1, F: linear.Release, Status: no, Call: 5, Return: 6, Line: 4},
			},
		},
	})
}

// Entries that cannot follow the ones before them.
func TestBuilderRefuses(t *testing.T) {
	early := steps(t, "1 invoke acquire; 1 ok acquire")
	early[1].Time = 0
	for want, h := range map[string][]history.Op{
		"entry 1: process 1 invokes try while its acquire is under way":     steps(t, "1 invoke acquire; 1 invoke try"),
		"entry 1: process 1 completes a release that it did not invoke":     steps(t, "1 invoke acquire; 1 ok release"),
		"entry 0: process 2 completes a try that it did not invoke":         steps(t, "2 fail try server"),
		"entry 1: process 1 completes a acquire before its invocation":      early,
		"entry 2: process 1 completes a acquire that it did not invoke":     steps(t, "1 invoke acquire; 1 info crash; 1 ok acquire"),
		"entry 3: process 2 completes a acquire that it did not invoke":     steps(t, "1 invoke acquire; 2 invoke acquire; 2 ok acquire; 2 ok acquire"),
		"entry 4: process 1 completes a release that it did not invoke":     steps(t, "1 invoke acquire; 1 ok acquire; 1 invoke release; 1 ok release; 1 ok release"),
		"entry 2: process 1 invokes release while its acquire is under way": steps(t, "2 invoke try; 1 invoke acquire; 1 invoke release"),
	} {
		if _, err := linear.FromHistory(h); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// What the store says, by key and by lock.
func TestBuilderOfStores(t *testing.T) {
	at := int64(0)
	op := func(ty history.Type, f history.F, store string, more func(*history.Op)) history.Op {
		at++
		o := history.Op{Time: at, Process: 1, Type: ty, F: f, Lock: "a", Token: 3, Store: store, Key: "k"}
		if more != nil {
			more(&o)
		}
		return o
	}
	cas := func(guard string) func(*history.Op) {
		return func(o *history.Op) { o.Guard, o.Expect, o.Value = guard, "x", "y" }
	}
	refused := func(o *history.Op) { o.Refused = history.ByStore; o.Guard = "k"; o.Expect = "x"; o.Value = "y" }
	var h []history.Op
	for _, store := range []string{history.Plain, history.Fenced} {
		h = append(h,
			op(history.Invoke, history.CAS, store, cas("k")), op(history.OK, history.CAS, store, nil),
			op(history.Invoke, history.CAS, store, cas("k")), op(history.Fail, history.CAS, store, refused),
			op(history.Invoke, history.CAS, store, cas("other")), op(history.OK, history.CAS, store, nil),
			op(history.Invoke, history.CAS, store, cas("other")), op(history.Fail, history.CAS, store, refused),
			op(history.Invoke, history.Write, store, nil), op(history.Fail, history.Write, store, refused),
			op(history.Invoke, history.Write, store, nil), op(history.Fail, history.Write, store, func(o *history.Op) { o.Refused = history.ByClient }),
		)
	}
	got, err := linear.FromHistory(h)
	if err != nil {
		t.Fatal(err)
	}
	type what struct {
		f      linear.F
		status linear.Status
		expect string
	}
	sum := func(ops []linear.Operation) (out []what) {
		for _, o := range ops {
			out = append(out, what{o.F, o.Status, o.Expect})
		}
		return out
	}
	if d := cmp.Diff([]what{{linear.CAS, linear.OK, "x"}, {linear.CAS, linear.Refused, "x"}, {linear.Write, linear.OK, ""}},
		sum(got.Keys[linear.StoreKey{Store: history.Plain, Key: "k"}]), cmp.AllowUnexported(what{})); d != "" {
		t.Errorf("plain: -want +got\n%s", d)
	}
	if d := cmp.Diff([]what{{linear.CAS, linear.OK, "x"}, {linear.Write, linear.OK, ""}},
		sum(got.Keys[linear.StoreKey{Store: history.Fenced, Key: "k"}]), cmp.AllowUnexported(what{})); d != "" {
		t.Errorf("fenced: -want +got\n%s", d)
	}
	if d := cmp.Diff([]what{{linear.Write, linear.OK, ""}, {linear.Write, linear.OK, ""}, {linear.Write, linear.Refused, ""}}, sum(got.Stores["a"]), cmp.AllowUnexported(what{})); d != "" {
		t.Errorf("the fenced store: -want +got\n%s", d)
	}
}
