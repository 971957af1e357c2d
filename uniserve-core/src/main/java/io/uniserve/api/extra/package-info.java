/**
 * Parts of the port API for special cases; a first port needs none of them.
 *
 * <ul>
 *   <li>Snapshots and atomic updates: {@link io.uniserve.api.extra.SnapshotActor}, {@link io.uniserve.api.extra.RevocableActor}.
 *   <li>Engines with immutable files: {@link io.uniserve.api.extra.ActorFileLinker}.
 *   <li>Calls on an engine's open resource: {@link io.uniserve.api.extra.EngineTask}.
 *   <li>Table options: {@link io.uniserve.api.extra.PackedFilesCodec} for configuration files, {@link io.uniserve.api.extra.MutableOptions} for
 *       options that change, {@link io.uniserve.api.extra.ColumnSchema} and {@link io.uniserve.api.extra.ColumnType} for typed columns.
 *   <li>Tables whose key field is not the unique key: {@link io.uniserve.api.extra.BroadcastUpdate}.
 * </ul>
 */
@NullMarked
package io.uniserve.api.extra;

import org.jspecify.annotations.NullMarked;
