-- Leaves the lock once (owner, TTL in ms) and returns how often its owner is still
-- inside; at 0 it deletes it and wakes the waiters. -1: the owner has not got it.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return -1
end
local count = redis.call('HINCRBY', KEYS[1], ARGV[1], -1)
if count > 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return count
end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', KEYS[2], '')
return 0
