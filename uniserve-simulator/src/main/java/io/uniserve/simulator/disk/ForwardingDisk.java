package io.uniserve.simulator.disk;

import io.uniserve.codec.Bytes;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Done;
import java.util.List;

/** Disk that forwards all operations to another one. Subclasses observe or change some of them. */
public abstract class ForwardingDisk implements Disk {
    private final Disk disk;

    protected ForwardingDisk(Disk disk) {
        this.disk = disk;
    }

    @Override
    public void append(String path, Bytes data, Completion<Done> completion) {
        disk.append(path, data, completion);
    }

    @Override
    public void sync(String path, Completion<Done> completion) {
        disk.sync(path, completion);
    }

    @Override
    public void read(String path, Completion<Bytes> completion) {
        disk.read(path, completion);
    }

    @Override
    public void readRange(String path, long offset, int length, Completion<Bytes> completion) {
        disk.readRange(path, offset, length, completion);
    }

    @Override
    public void readHashed(String path, long offset, int length, Completion<Hashed> completion) {
        disk.readHashed(path, offset, length, completion);
    }

    @Override
    public void replace(String path, Bytes data, Completion<Done> completion) {
        disk.replace(path, data, completion);
    }

    @Override
    public void truncate(String path, long size, Completion<Done> completion) {
        disk.truncate(path, size, completion);
    }

    @Override
    public void move(String from, String to, Completion<Done> completion) {
        disk.move(from, to, completion);
    }

    @Override
    public void delete(String path, Completion<Done> completion) {
        disk.delete(path, completion);
    }

    @Override
    public void list(String directory, Completion<List<Entry>> completion) {
        disk.list(directory, completion);
    }
}
