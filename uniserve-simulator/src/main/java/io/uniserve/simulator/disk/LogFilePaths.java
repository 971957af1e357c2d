package io.uniserve.simulator.disk;

import io.uniserve.model.ReplicaKey;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Paths of the files of replicas' logs on a server's disk. */
public final class LogFilePaths {
    private static final Pattern SEGMENT = Pattern.compile("t(\\d+)-a(\\d+)/log/(\\d{20})\\.seg");

    private LogFilePaths() {}

    /** The segment of this path; empty for any other file. */
    public static Optional<Segment> segment(String path) {
        Matcher match = SEGMENT.matcher(path);
        return match.matches()
                ? Optional.of(new Segment(
                        new ReplicaKey(Long.parseLong(match.group(1)), Integer.parseInt(match.group(2))),
                        Long.parseLong(match.group(3))))
                : Optional.empty();
    }

    /** Segment of a replica's log, identified by its first entry. */
    public record Segment(ReplicaKey key, long first) {
        /** The next segment on this disk; empty for the last one. */
        public Optional<Segment> next(SimDiskMedium simulatedDisk) {
            String log = key + "/log";
            return simulatedDisk.under(log).stream()
                    .flatMap(path -> segment(path).stream())
                    .filter(other -> other.first > first)
                    .findFirst();
        }

        /** The path of the segment. */
        public String path() {
            return key + "/log/%020d.seg".formatted(first);
        }
    }
}
