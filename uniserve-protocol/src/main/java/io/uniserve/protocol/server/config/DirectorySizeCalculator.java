package io.uniserve.protocol.server.config;

import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Outcome;
import java.util.ArrayDeque;

/** Total size in bytes of all files below a directory. It lists one directory at a time. */
public final class DirectorySizeCalculator {
    private final Disk disk;
    private final Completion<Long> completion;
    private final ArrayDeque<String> folders = new ArrayDeque<>();
    private long bytes;

    private DirectorySizeCalculator(Disk disk, Completion<Long> completion) {
        this.disk = disk;
        this.completion = completion;
    }

    public static void of(Disk disk, String folder, Completion<Long> completion) {
        DirectorySizeCalculator size = new DirectorySizeCalculator(disk, completion);
        size.folders.add(folder);
        size.next();
    }

    private void next() {
        String folder = folders.poll();
        if (folder == null) {
            completion.done(Outcome.ok(bytes));
            return;
        }
        disk.list(folder, completion.then(listed -> {
            for (Disk.Entry entry : listed) {
                bytes += entry.size();
                if (entry.name().endsWith("/")) {
                    folders.add(folder + "/"
                            + entry.name().substring(0, entry.name().length() - 1));
                }
            }
            next();
        }));
    }
}
