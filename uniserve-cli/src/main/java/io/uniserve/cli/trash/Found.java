package io.uniserve.cli.trash;

import io.uniserve.model.ServerId;
import io.uniserve.model.TrashEntry;

/** Entry of a server's trash. */
record Found(ServerId server, TrashEntry entry) {}
