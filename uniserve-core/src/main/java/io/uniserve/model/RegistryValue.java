package io.uniserve.model;

/** A value kept in the registry (ZooKeeper). */
public sealed interface RegistryValue
        permits BackupRecord,
                ClusterRecord,
                CoordinatorRecord,
                IdentityRecord,
                ServerRecord,
                TransactionLogState,
                TableMap,
                TableMeta,
                TransactionHistory,
                TermRecord,
                Tombstone {}
