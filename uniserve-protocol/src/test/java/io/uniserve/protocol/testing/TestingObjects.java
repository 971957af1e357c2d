package io.uniserve.protocol.testing;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.ObjectStore;
import io.uniserve.protocol.env.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Durable storage in memory. */
public final class TestingObjects implements ObjectStore {
    private final TestingLoop loop;
    private final TreeMap<String, Bytes> objects = new TreeMap<>();
    private boolean down;
    private boolean priced;
    private String refused = "";
    private ErrorCode refusal = ErrorCode.UNAVAILABLE;
    private String held = "";
    private final List<Runnable> waiting = new ArrayList<>();
    private int puts;
    private int gets;
    private int lists;
    /** Task that runs once, before the next read of an object. */
    private Runnable meanwhile = () -> {};

    public TestingObjects(TestingLoop loop) {
        this.loop = loop;
    }

    /** Makes small runs of logs share objects; before the servers start. */
    public void price() {
        priced = true;
    }

    /** Makes all operations fail, or work again. */
    public void down(boolean value) {
        down = value;
    }

    /** Rejects puts under this prefix from now on; empty for none. */
    public void refuse(String prefix) {
        refuse(prefix, ErrorCode.UNAVAILABLE);
    }

    /** The same with this code. */
    public void refuse(String prefix, ErrorCode code) {
        refused = prefix;
        refusal = code;
    }

    /** Holds puts under this prefix until {@link #release}. */
    public void hold(String prefix) {
        held = prefix;
    }

    /** Completes all held puts, and holds no more. */
    public void release() {
        held = "";
        List<Runnable> all = List.copyOf(waiting);
        waiting.clear();
        all.forEach(Runnable::run);
    }

    /** Number of held puts. */
    public int holding() {
        return waiting.size();
    }

    /** The object as text. */
    public String text(String key) {
        Bytes data = objects.get(key);
        return data == null ? "" : data.utf8();
    }

    public List<String> keys(String prefix) {
        return objects.keySet().stream().filter(key -> key.startsWith(prefix)).toList();
    }

    /** Flips one bit, without the checks of the store. */
    public void flip(String key) {
        byte[] bytes = bytes(key);
        bytes[bytes.length / 2] ^= 1;
        objects.put(key, Bytes.wrap(bytes));
    }

    /** Truncates the object, without the checks of the store. */
    public void truncate(String key) {
        Bytes whole = Bytes.wrap(bytes(key));
        objects.put(key, whole.slice(0, whole.size() - 1));
    }

    /** Copies all objects of another one, as for a cluster that starts on the storage of a lost one. */
    public void adopt(TestingObjects other) {
        objects.putAll(other.objects);
    }

    /** Copies one object of another one, as if a put had taken effect late. */
    public void adopt(TestingObjects other, String key) {
        objects.put(key, Bytes.wrap(other.bytes(key)));
    }

    /** Runs the task before the next read of an object. */
    public void meanwhile(Runnable change) {
        meanwhile = change;
    }

    /** Renames the object. */
    public void rename(String from, String to) {
        objects.put(to, Bytes.wrap(bytes(from)));
        objects.remove(from);
    }

    /** Replaces the object, as another process might. */
    public void set(String key, String text) {
        objects.put(key, Bytes.utf8(text));
    }

    /** Removes all objects. */
    public void clear() {
        objects.clear();
    }

    public void remove(String key) {
        objects.remove(key);
    }

    private byte[] bytes(String key) {
        Bytes found = objects.get(key);
        if (found == null) {
            throw new IllegalArgumentException("no object " + key);
        }
        return found.toArray();
    }

    public int puts() {
        return puts;
    }

    public int gets() {
        return gets;
    }

    public int lists() {
        return lists;
    }

    private static <T> Outcome<T> error(ErrorCode code, String what) {
        return Outcome.err(new UniserveException(code, what));
    }

    @Override
    public void put(String key, Bytes data, Completion<Done> completion) {
        if (!held.isEmpty() && key.startsWith(held)) {
            waiting.add(() -> put(key, data, completion));
            return;
        }
        loop.after(100_000, () -> {
            puts++;
            if (down || !refused.isEmpty() && key.startsWith(refused)) {
                completion.done(error(down ? ErrorCode.UNAVAILABLE : refusal, "down"));
                return;
            }
            Bytes before = objects.putIfAbsent(key, data);
            completion.done(
                    before == null || before.equals(data)
                            ? Outcome.ok(Done.DONE)
                            : error(ErrorCode.INVALID_ARGUMENT, key));
        });
    }

    @Override
    public boolean isPricedPerRequest() {
        return priced;
    }

    @Override
    public void get(String key, Completion<Bytes> completion) {
        loop.after(100_000, () -> {
            gets++;
            Runnable now = meanwhile;
            meanwhile = () -> {};
            now.run();
            Bytes data = objects.get(key);
            completion.done(data == null || down ? error(ErrorCode.IO, key) : Outcome.ok(data));
        });
    }

    @Override
    public void list(String prefix, Completion<List<String>> completion) {
        loop.after(100_000, () -> {
            lists++;
            completion.done(down ? error(ErrorCode.UNAVAILABLE, "down") : Outcome.ok(keys(prefix)));
        });
    }

    @Override
    public void delete(String key, Completion<Done> completion) {
        loop.after(100_000, () -> {
            if (down) {
                completion.done(error(ErrorCode.UNAVAILABLE, "down"));
                return;
            }
            objects.remove(key);
            completion.done(Outcome.ok(Done.DONE));
        });
    }
}
