-- Takes a waiter out of the queue; those behind it are due that much sooner. If
-- the lock is free now, the wake-up that the waiter may have got is passed on. Keys:
-- lock, queue, time-outs. Arguments: owner, how long a waiter is given (ms), and
-- what the names of the waiters' channels begin with.
local lock, queue, timeouts = KEYS[1], KEYS[2], KEYS[3]

local behind = false
for _, waiter in ipairs(redis.call('LRANGE', queue, 0, -1)) do
  if behind then
    redis.call('ZINCRBY', timeouts, -tonumber(ARGV[2]), waiter)
  end
  behind = behind or waiter == ARGV[1]
end
redis.call('ZREM', timeouts, ARGV[1])
redis.call('LREM', queue, 0, ARGV[1])
local first = redis.call('LINDEX', queue, 0)
if first and redis.call('EXISTS', lock) == 0 then
  redis.call('PUBLISH', ARGV[3] .. first, '')
end
return 1
