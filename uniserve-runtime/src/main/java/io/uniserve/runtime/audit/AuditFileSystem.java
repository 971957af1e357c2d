package io.uniserve.runtime.audit;

import io.uniserve.runtime.disk.DurableFileOperations;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** File operations of the writer of an audit log. Tests replace it to make operations fail. */
interface AuditFileSystem {
    /** The file system of the process. */
    AuditFileSystem DEFAULT = new AuditFileSystem() {
        @Override
        public OpenFile open(Path file, long size, boolean sync) throws IOException {
            FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            try {
                channel.truncate(size);
                channel.position(size);
                Path parent = file.toAbsolutePath().getParent();
                if (size == 0 && sync && parent != null) {
                    DurableFileOperations.syncDirectory(parent);
                }
                return new ChannelFile(channel);
            } catch (IOException e) {
                channel.close();
                throw e;
            }
        }

        @Override
        public void delete(Path file) throws IOException {
            Files.deleteIfExists(file);
        }
    };

    /**
     * Opens a file for appending. Creates it if it is absent, and cuts it off after {@code size} bytes.
     *
     * @param sync true to sync the name of an empty file
     */
    OpenFile open(Path file, long size, boolean sync) throws IOException;

    /** Deletes a file; does nothing if it is absent. */
    void delete(Path file) throws IOException;

    /** File that is open for appending. Not thread-safe. */
    interface OpenFile extends AutoCloseable {
        /** Writes the whole buffer at the end. After an error an unknown part of it is in the file. */
        void append(ByteBuffer bytes) throws IOException;

        /** Syncs the bytes to disk. */
        void sync() throws IOException;

        @Override
        void close() throws IOException;
    }

    /** File of the operating system. */
    record ChannelFile(FileChannel channel) implements OpenFile {
        @Override
        public void append(ByteBuffer bytes) throws IOException {
            DurableFileOperations.writeFully(channel, bytes);
        }

        @Override
        public void sync() throws IOException {
            channel.force(false);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
