package io.uniserve.model.registry;

/** Value of a node in the registry (ZooKeeper). */
public sealed interface RegistryValue
        permits AccessRules,
                BackupRecord,
                ClusterRecord,
                CoordinatorRecord,
                IdentityRecord,
                ScalingRecord,
                ServerRecord,
                TransactionLogState,
                TableMap,
                TableMeta,
                DecisionHistory,
                TermRecord,
                Tombstone,
                UserCredentials {}
