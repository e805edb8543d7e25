-- Ends a hold (mode, permits, owner, what else is done) and answers 1, or 0 if it had ended.
local member = ARGV[1] .. ARGV[2] .. ':' .. ARGV[3]
local t = redis.call('TIME')
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.3f', t[1] * 1000 + t[2] / 1000))
if not redis.call('ZSCORE', KEYS[1], member) then
  return 0
end
if ARGV[4] == 'leak' then
  redis.call('ZADD', KEYS[1], '+inf', member)
  return 1
end
redis.call('ZREM', KEYS[1], member)
if ARGV[4] == 'twice' then
  redis.call('INCRBY', KEYS[2], ARGV[2])
elseif string.sub(ARGV[4], 1, 3) == 'bar' then
  redis.call('SET', KEYS[3], string.sub(ARGV[4], 5))
elseif ARGV[4] == 'all' then
  for _, other in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    redis.call('ZREM', KEYS[1], other)
  end
end
return 1
