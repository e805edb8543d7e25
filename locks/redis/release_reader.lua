-- Ends the hold of a reader (owner, what the keys of holds begin with) and answers 1, or 0 if it
-- has none. The lock then lasts as long as the longest of the others; after the last it is
-- deleted, and the waiters are woken.
if redis.call('DEL', KEYS[2]) + redis.call('HDEL', KEYS[1], ARGV[1]) < 2 then
  return 0
end
local left = 0
for _, owner in ipairs(redis.call('HKEYS', KEYS[1])) do
  if owner ~= 'mode' then
    left = math.max(left, redis.call('PTTL', ARGV[2] .. owner))
  end
end
if left > 0 then
  redis.call('PEXPIRE', KEYS[1], left)
else
  redis.call('DEL', KEYS[1])
  redis.call('PUBLISH', KEYS[3], '')
end
return 1
