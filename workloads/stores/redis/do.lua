-- One operation on a value that a lock guards, with its fencing token.
-- KEYS: 1 the value, 2 the mark of the lock, 3 the count of operations, 4 the guard of a conditional write
-- ARGV: 1 token ("" on the plain store), 2 "write" or "read", 3 the value to be written, 4 "if" or "", 5 what the guard must hold
local token = ARGV[1]
if token ~= '' then
  local mark = redis.call('GET', KEYS[2]) or '0'
  -- As text, because a number in Lua has 53 bits and a token has 64.
  if #token < #mark or (#token == #mark and token < mark) then
    return {'stale', mark, 0}
  end
  redis.call('SET', KEYS[2], token)
end
if ARGV[4] == 'if' then
  local held = redis.call('GET', KEYS[4]) or ''
  if held ~= ARGV[5] then
    return {'conflict', held, 0}
  end
end
local value = ''
if ARGV[2] == 'write' then
  redis.call('SET', KEYS[1], ARGV[3])
else
  value = redis.call('GET', KEYS[1]) or ''
end
return {'ok', value, redis.call('INCR', KEYS[3])}
