package io.uniserve.server.read.worker;

/** Bytes of results that one query of a user holds. For one thread. */
public final class UserMemoryReservation implements AutoCloseable {
    private final UserMemoryBudget budget;
    private final String user;
    private long bytes;

    /** @param user empty for work without a user */
    public UserMemoryReservation(UserMemoryBudget budget, String user) {
        this.budget = budget;
        this.user = user;
    }

    /** Reserves more bytes, or fails as {@link UserMemoryBudget#reserve} does. */
    public void add(long more) {
        budget.reserve(user, more, bytes);
        bytes += more;
    }

    /** Returns all bytes. More can be reserved afterwards. */
    @Override
    public void close() {
        budget.release(user, bytes);
        bytes = 0;
    }
}
