package io.uniserve.model.access;

/** Right that a request needs. Each method and each kind of request declares one. */
public enum Right {
    /** Read the rows of a table. */
    READ,
    /** Change the rows of a table. */
    WRITE,
    /** Know that a table exists, with its definition and map. */
    DESCRIBE,
    /** Read the state of the cluster: status, loads, running queries. */
    MONITOR,
    /** Move replicas, drain servers, take backups, cancel queries. */
    OPERATE,
    /** Create and drop tables, change their options, restore backups, grant roles, revoke certificates, set passwords. */
    ADMINISTER,
    /** No right: every identity of the cluster may do it. */
    CONNECT;

    /** True if the right is of one table. */
    public boolean isOfTable() {
        return this == READ || this == WRITE || this == DESCRIBE;
    }
}
