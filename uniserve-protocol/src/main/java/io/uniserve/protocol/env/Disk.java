package io.uniserve.protocol.env;

import io.uniserve.codec.Bytes;
import io.uniserve.codec.Sha256;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.List;

/**
 * A server's data directory. Paths are relative, with {@code [a-z0-9-.]} parts joined by {@code /}. The caller must run at most one
 * operation per path at a time. Completions come in any order. Errors: IO, DISK_FULL, CORRUPT.
 */
public interface Disk {
    /**
     * Appends to the file, which is created if absent. The data are not durable before {@link #sync}. A failed append may have written a
     * part.
     */
    void append(String path, Bytes data, Completion<Done> completion);

    /** Makes the file's bytes and its name durable. After a failure the file's state is unknown: the process must end. */
    void sync(String path, Completion<Done> completion);

    /**
     * {@link #append} and, if that succeeds, {@link #sync}. Implementations should do both in one step, because the loop has nothing to
     * decide in between.
     *
     * @param failed called if the append fails; then {@code synced} is not called
     */
    default void appendSynced(String path, Bytes data, Completion<Done> failed, Completion<Done> synced) {
        append(path, data, appended -> {
            if (appended instanceof Outcome.Err<Done>) {
                failed.done(appended);
            } else {
                sync(path, synced);
            }
        });
    }

    /** Reads the whole file; IO if it is absent. */
    void read(String path, Completion<Bytes> completion);

    /** Reads a part of the file; IO if it is absent or shorter. Implementations should read only that part. */
    default void readRange(String path, long offset, int length, Completion<Bytes> completion) {
        read(path, outcome -> {
            if (outcome instanceof Outcome.Ok<Bytes> ok) {
                boolean whole = offset >= 0 && offset + length <= ok.value().size();
                completion.done(
                        whole
                                ? Outcome.ok(ok.value().slice((int) offset, length))
                                : Outcome.err(new UniserveException(
                                        ErrorCode.IO, path + " ends before byte " + (offset + length))));
            } else {
                completion.done(outcome);
            }
        });
    }

    /** Like {@link #readRange}, with the SHA-256 of just these bytes. Implementations should compute it off the loop. */
    default void readHashed(String path, long offset, int length, Completion<Hashed> completion) {
        readRange(path, offset, length, outcome -> {
            if (outcome instanceof Outcome.Ok<Bytes> ok) {
                completion.done(Outcome.ok(new Hashed(ok.value(), Sha256.hex(ok.value()))));
            } else {
                completion.done(Outcome.err(outcome.error()));
            }
        });
    }

    /** Bytes of a file and their SHA-256, in hexadecimal digits. */
    record Hashed(Bytes data, String sha256) {}

    /** Replaces the file durably: temporary file, fsync, rename, fsync of the directory. */
    void replace(String path, Bytes data, Completion<Done> completion);

    /** Truncates the file to this size, durably. */
    void truncate(String path, long size, Completion<Done> completion);

    /** Moves a file or directory, durably; creates the target's parent. */
    void move(String from, String to, Completion<Done> completion);

    /** Deletes a file or a whole directory; no error if it is absent. */
    void delete(String path, Completion<Done> completion);

    /** Lists files and directories (with a trailing {@code /}) directly in the directory, sorted; empty if it is absent. */
    void list(String directory, Completion<List<Entry>> completion);

    /** A directory's entry; {@code size} is 0 for a directory, whose name ends with {@code /}. */
    record Entry(String name, long size) {}
}
