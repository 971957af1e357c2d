package io.uniserve.model.access;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** Role of a user: a set of rights. READER and WRITER are of tables, the others of the whole cluster. */
public enum Role {
    /** Everything. */
    ADMIN(EnumSet.allOf(Right.class)),
    /** Operates the cluster; reads and writes no rows. */
    OPERATOR(EnumSet.of(Right.DESCRIBE, Right.MONITOR, Right.OPERATE)),
    /** Reads and changes the rows of tables. */
    WRITER(EnumSet.of(Right.READ, Right.WRITE, Right.DESCRIBE)),
    /** Reads the rows of tables. */
    READER(EnumSet.of(Right.READ, Right.DESCRIBE)),
    /** Reads the state of the cluster; reads no rows. */
    MONITOR(EnumSet.of(Right.DESCRIBE, Right.MONITOR));

    private final Set<Right> rights;

    Role(Set<Right> rights) {
        this.rights = rights;
    }

    /** True if the role includes the right. */
    public boolean includes(Right right) {
        return right == Right.CONNECT || rights.contains(right);
    }

    /** True if the role is of tables, which a grant names. */
    public boolean isOfTables() {
        return this == WRITER || this == READER;
    }

    /** Name on the command line and in messages. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
