package io.uniserve.protocol.log;

/** A file of the log; {@code size} is the number of its durable bytes. */
final class LogSegment {
    final String path;
    final long first;
    int size;

    LogSegment(String directory, long first) {
        this.path = directory + "/" + "%020d.seg".formatted(first);
        this.first = first;
    }
}
