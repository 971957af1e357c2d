package io.uniserve.benchmark.text;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Counter of the segments of Solr's indexes by their files. It shows that both sides are merged alike. */
final class SegmentCounter {
    private static final Path INDEX = Path.of("data", "index");

    private SegmentCounter() {}

    /** Returns the segments of all cores below this directory. */
    static int countBelow(Path root) throws IOException {
        AtomicInteger count = new AtomicInteger();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                Path folder = file.getParent();
                if (file.toString().endsWith(".si") && folder != null && folder.endsWith(INDEX)) {
                    count.incrementAndGet();
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException gone) {
                return FileVisitResult.CONTINUE; // servers delete files concurrently
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException gone) {
                return FileVisitResult.CONTINUE;
            }
        });
        return count.get();
    }
}
