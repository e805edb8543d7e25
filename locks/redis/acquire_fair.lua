-- Takes the lock if nobody waits before the caller, or enters it once more. Keys: lock,
-- queue, time-outs. Arguments: owner, TTL, the client's time, how long a waiter is
-- given when it is its turn (ms), and 1 to queue. Otherwise: the ms after which it is worth
-- asking again.
local lock, queue, timeouts = KEYS[1], KEYS[2], KEYS[3]
local owner, ttl, now, wait = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])

forget_stale(queue, timeouts, now)
local first = redis.call('LINDEX', queue, 0)

if redis.call('EXISTS', lock) == 0 and (not first or first == owner) then
  redis.call('LPOP', queue)
  redis.call('ZREM', timeouts, owner)
  for _, waiter in ipairs(redis.call('ZRANGE', timeouts, 0, -1)) do
    redis.call('ZINCRBY', timeouts, -wait, waiter)
  end
  redis.call('HSET', lock, owner, 1)
  redis.call('PEXPIRE', lock, ttl)
  return false
end

if redis.call('HEXISTS', lock, owner) == 1 then
  redis.call('HINCRBY', lock, owner, 1)
  redis.call('PEXPIRE', lock, ttl)
  return false
end

local left = redis.call('PTTL', lock)
if ARGV[5] == '1' and not redis.call('ZSCORE', timeouts, owner) then
  local last = redis.call('LINDEX', queue, -1)
  local turn = last and tonumber(redis.call('ZSCORE', timeouts, last)) or now + math.max(left, 0)
  redis.call('ZADD', timeouts, turn + wait, owner)
  redis.call('RPUSH', queue, owner)
end
if left < 0 and first then -- free, and kept for the first of the queue
  left = tonumber(redis.call('ZSCORE', timeouts, first)) - now
end
return math.max(left, 1)
