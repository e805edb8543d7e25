package harness

import (
	"context"
	"errors"

	"locktorture/history"
	"locktorture/locks"
)

// Renew extends a lease by another TTL. Its error wraps ErrNotHeld if the lock refused, and
// errors.ErrUnsupported if the lock cannot renew. Ask returns the new validity.
func (c *Scripted) Renew(ctx context.Context, g *Grant) error {
	r, ok := g.h.lease.(locks.Renewer)
	if !ok {
		return errors.ErrUnsupported
	}
	op, err := c.client.life.invoke(history.Op{F: history.Renew, Lock: g.h.lock, Lease: g.h.number, Token: g.h.token})
	if err != nil {
		return err
	}
	switch err := r.Renew(ctx); {
	case err == nil:
		c.client.life.complete(op, history.OK, nil)
		return nil
	case errors.Is(err, locks.ErrNotHeld):
		op.Refused = history.ByServer
		c.client.life.complete(op, history.Fail, err)
		return err
	case errors.Is(err, errors.ErrUnsupported):
		op.Refused = history.ByClient
		c.client.life.complete(op, history.Fail, err)
		return err
	default:
		c.client.life.complete(op, history.Info, err)
		if c.client.life.dead() {
			return errDead
		}
		return c.ended(errUnknown)
	}
}
