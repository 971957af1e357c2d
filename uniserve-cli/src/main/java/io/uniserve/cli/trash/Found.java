package io.uniserve.cli.trash;

import io.uniserve.model.ServerId;
import io.uniserve.model.TrashEntry;

/** An entry of a server's trash. */
record Found(ServerId server, TrashEntry entry) {}
