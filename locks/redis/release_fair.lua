-- Leaves the lock once and returns how often its owner is still inside; at 0 it
-- deletes it and wakes the first of the queue. -1: the owner has not got it. Keys: lock,
-- queue, time-outs. Arguments: owner, TTL, the client's time (ms), and what the names
-- of the waiters' channels begin with.
local lock, queue, timeouts = KEYS[1], KEYS[2], KEYS[3]

forget_stale(queue, timeouts, tonumber(ARGV[3]))
if redis.call('HEXISTS', lock, ARGV[1]) == 0 then
  return -1
end
local count = redis.call('HINCRBY', lock, ARGV[1], -1)
if count > 0 then
  redis.call('PEXPIRE', lock, ARGV[2])
  return count
end
redis.call('DEL', lock)
local first = redis.call('LINDEX', queue, 0)
if first then
  redis.call('PUBLISH', ARGV[4] .. first, '')
end
return 0
