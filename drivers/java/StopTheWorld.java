import com.sun.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;

/**
 * Makes the JVM's own collector stop the world for at least a wanted time: nothing is faked, every
 * thread stands at a safepoint, the ZooKeeper client's heartbeats too.
 *
 * <p>A full collection by the serial collector takes as long as marking and moving what is alive. That
 * is a list whose nodes are scattered over the heap, so that each costs a cache miss; it is kept for the
 * next time, and grows until a collection takes long enough.
 */
final class StopTheWorld {
  private static final class Node {
    Node next;
  }

  private static final int FIRST = 1 << 20;

  private Node[] alive = new Node[0];

  /**
   * Returns how long the collector says that it took, in ns.
   *
   * @param least ns
   */
  synchronized long stop(long least) {
    try {
      for (; ; ) {
        long took = collect();
        if (took >= least) {
          return took;
        }
        double more = alive.length == 0 ? 1 : Math.min(4, 1.25 * least / Math.max(took, 1));
        fill((int) (Math.max(alive.length, FIRST) * Math.max(more, 1.1)));
      }
    } catch (OutOfMemoryError e) {
      alive = new Node[0];
      throw new IllegalStateException("the heap is too small for a collection of " + least / 1_000_000 + " ms (option heap)", e);
    }
  }

  private void fill(int n) {
    alive = null; // room for the next
    Node[] all = new Node[n];
    for (int i = 0; i < n; i++) {
      all[i] = new Node();
    }
    SplittableRandom random = new SplittableRandom(n);
    for (int i = n - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      Node t = all[i];
      all[i] = all[j];
      all[j] = t;
      all[i].next = t;
    }
    alive = all;
    collect(); // the first one has more to do than those that come after it
  }

  /** One full collection; the collector itself says how long it took. */
  private static long collect() {
    long before = full().getCollectionCount();
    System.gc();
    if (full().getCollectionCount() == before) {
      throw new IllegalStateException("System.gc() did nothing");
    }
    return full().getLastGcInfo().getDuration() * 1_000_000;
  }

  private static GarbageCollectorMXBean full() {
    for (GarbageCollectorMXBean b : ManagementFactory.getPlatformMXBeans(GarbageCollectorMXBean.class)) {
      if (b.getName().equals("MarkSweepCompact")) {
        return b;
      }
    }
    throw new IllegalStateException("not the serial collector");
  }
}
