package linear

import "fmt"

// A cluster is a write and the reads of its value.
type cluster struct {
	write   int32 // -1: the value at the start
	minRet  int64
	maxCall int64
	first   int32 // returned first
	last    int32 // called last
	reads   int32
}

// judgeRegister decides a register whose written values are all different, in
// O(n log n): a write and its reads are a zone (Gibbons and Korach 1997).
func judgeRegister(t *trace) Verdict {
	clusters, v := registerClusters(t)
	if v != nil {
		return *v
	}
	var forward, backward []zone
	for i := range clusters {
		c := &clusters[i]
		switch {
		case c.reads == 0 && (c.write < 0 || t.ops[c.write].Status == Pending): // need not happen
		case c.minRet < c.maxCall:
			forward = append(forward, zone{c.minRet, c.maxCall, c.first, c.last, int32(i)})
		default:
			backward = append(backward, zone{c.maxCall, c.minRet, c.last, c.first, int32(i)})
		}
	}
	if a, b := conflict(forward, backward); a != nil {
		v := invalid(byZones, fmt.Sprintf("%s was surely in place from %s to %d, but %s was in place in between",
			clusters[a.of].describe(t), since(a.lo), a.hi, clusters[b.of].describe(t)))
		for _, z := range []*zone{a, b} {
			v.Witness = append(v.Witness, clusters[z.of].witness()...)
		}
		return v
	}
	return valid(byZones)
}

func since(at int64) string {
	if at == -1<<63 {
		return "the start"
	}
	return fmt.Sprint(at)
}

func (c *cluster) describe(t *trace) string {
	if c.write < 0 {
		return "the value at the start"
	}
	return "the value of " + t.ops[c.write].String()
}

// witness lists the write and the operations that bound the zone.
func (c *cluster) witness() []int {
	var out []int
	for k, i := range []int32{c.write, c.first, c.last} {
		if i >= 0 && (k == 0 || i != c.write) && (k < 2 || i != c.first) {
			out = append(out, int(i))
		}
	}
	return out
}

// registerClusters groups reads with the write of their value.
func registerClusters(t *trace) ([]cluster, *Verdict) {
	stop := func(v Verdict) ([]cluster, *Verdict) { return nil, &v }
	const start = int64(-1 << 63)
	clusters := make([]cluster, 1, len(t.ops)/2+1)
	clusters[0] = cluster{write: -1, minRet: start, maxCall: start, first: -1, last: -1}
	index := make(map[string]int32, len(t.ops)/2+1)
	index[t.opt.Initial] = 0
	for _, i := range t.order {
		o := &t.ops[i]
		switch {
		case o.F == Read:
		case o.F != Write || o.Status == Refused:
			return stop(unknown(byZones, "only reads and writes are supported, not "+o.F.String()))
		default:
			if _, ok := index[o.Value]; ok {
				return stop(unknown(byZones, "the value "+quote(o.Value)+" is written twice, or was there at the start"))
			}
			index[o.Value] = int32(len(clusters))
			clusters = append(clusters, cluster{write: i, minRet: o.end(), maxCall: o.Call, first: i, last: i})
		}
	}
	for _, i := range t.order {
		o := &t.ops[i]
		if o.F != Read || o.Status == Pending {
			continue
		}
		k, ok := index[o.Value]
		if !ok || o.Status == Refused {
			return stop(invalid(byZones, fmt.Sprintf("%v, a value that nobody wrote", *o), int(i)))
		}
		c := &clusters[k]
		if c.write >= 0 && o.Return < t.ops[c.write].Call {
			return stop(invalid(byZones, fmt.Sprintf("%v, which returned before %v was called", *o, t.ops[c.write]), int(i), int(c.write)))
		}
		c.reads++
		if o.Return < c.minRet {
			c.minRet, c.first = o.Return, i
		}
		if o.Call > c.maxCall {
			c.maxCall, c.last = o.Call, i
		}
	}
	return clusters, nil
}
