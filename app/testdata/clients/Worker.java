import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A worker that does one key after another under a lock, or without one: Worker locked|unlocked DIRECTORY */
final class Worker {
    public static void main(String[] args) throws Exception {
        boolean locked = args[0].equals("locked");
        Path lock = Path.of(args[1]);
        for (int n = 1; ; n++) {
            if (locked) {
                try {
                    Files.createDirectory(lock);
                } catch (FileAlreadyExistsException e) {
                    Thread.sleep(5);
                    continue;
                }
            }
            String key = ProcessHandle.current().pid() + "-" + n;
            Torture.tell("begin", "payout", key);
            Thread.sleep(20);
            Torture.tell("end", "payout", key);
            if (locked) Files.delete(lock);
            System.out.println("at work");
            Thread.sleep(10);
        }
    }
}
