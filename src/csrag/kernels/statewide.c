/* Supply cost at many sites: for each, the cheapest clusters of a circle until one year's demand is met.

   Clusters lie in blocks of a few kilometres, inside a block by the part of their score that does not depend on the site (g).
   For a site, a block's least possible haul part L bounds every score in it from below: the clusters of the block are
   looked at until g + L exceeds a threshold T. T starts from the neighbouring site's cut; where it gathers too little it is
   raised and the site is gathered again. The cut inside what was gathered is exact, and so are the sums, which are always
   added in the blocks' order: no result depends on T, on the order of the sites or on the number of threads.

   Distances follow from the chord between unit vectors, to some 1e-11 km. Where a decision of the reference (circle, distance
   band, order, demand met) hangs on less than that, the site is flagged and the caller settles it with the reference itself.

   Sines of the C library enter bounds and edges only, which are wider than they can be off; no contraction, no reassociation:
   the same bytes on every machine. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#define API __declspec(dllexport)
#else
#define API __attribute__((visibility("default")))
#endif

#ifndef CSRAG_SOURCE
#define CSRAG_SOURCE "unknown"
#endif

#define EARTH_KM 6371.0088
#define MIN_HAUL_KM 1.0
#define EDGE_KM 1e-9      /* closer than this to a circle's or band's edge is left to the reference */
#define TIE_REL 1e-11     /* scores that differ by less, relative to their size, as well */
#define TONS_REL 1e-10    /* and sums of tons, relative to the demand */
#define MAX_BANDS 64
#define GRANTED 2.5       /* a threshold may rise by so many times what cuts have moved by from site to site */

enum { AVERAGE, HARVEST, HAUL, LAST_TON, TAKEN, AVAILABLE, CLUSTERS, BURN, ROAD, ACRES, HIGH_ACRES, MET, FIGURES };

/* 64 bytes, a line of the cache. */
typedef struct {
    double g, harvest, x, y, z, tons;
    float burn, acres;                 /* as stored in the layers */
    int32_t zone, high;
} Cluster;

/* A grid of latitude and longitude in radians, and the first cluster of each of its rows * cols cells (and one more). */
typedef struct {
    int64_t rows, cols;
    double lat0, lon0, dlat, dlon;
    const int64_t *offset;
} Grid;

typedef struct {
    Grid blocks, cells;                /* blocks to choose from; narrower cells to count what is in the circle */
    int64_t bands;
    const double *tons_before;         /* cells.rows * (cells.cols + 1): tons of the cells to the west in the same row */
    const double *first_g;             /* a block: least g of the block, infinite where it is empty */
    const double *least_factor;        /* a block: least factor of its zones over all bands */
    const double *block_factor;        /* blocks * bands: the same by band */
    const Cluster *cluster;            /* by block, inside it by g */
    const double *x, *y, *z, *tons;    /* by cell */
    const double *edge_km;             /* bands - 1 */
    const double *factor;              /* zones * bands; zone 0 is the unknown one */
    double tau, unloading;
    double key_tau;                    /* tau, or 0 where cost has no part in the score */
    double step;                       /* first guess of how far a threshold has to rise */
    double slack_per_rad;              /* how far a cut may rise by moving the site */
} Pool;

typedef struct {
    double key, road, tons;
    int32_t at, unsure;
} Entry;

/* How a site sees a grid: rows and columns that its circle may touch, and bounds by column and row. */
typedef struct {
    const Grid *grid;
    int64_t r0, r1, c0, c1;
    double *near, *far;                /* bounds of sin^2 of half the difference in longitude, by column */
    double *cos_low, *cos_high;        /* bounds of the cosine of latitude, by row */
} View;

typedef struct {
    Entry *entry;                      /* what was gathered, in the order of the blocks */
    int32_t *close;                    /* positions of the entries whose score is above `sure` */
    int64_t size, closes, room;
    double sure, sure_tons;            /* a score that the cut is hardly below, and the tons up to it */
    View blocks, cells;
    int32_t *some;                     /* columns of one row of blocks */
    double edge2[MAX_BANDS];           /* squared chords of the band edges, and of what lies a hair before and behind */
    double edge_low2[MAX_BANDS], edge_high2[MAX_BANDS];
    double *bin;
    int64_t rounds;
} Work;

/* A site in radians and as a unit vector. */
typedef struct {
    double lat, lon, cos_lat;
    double x, y, z;
} Site;

/* What a call needs to know of its circles: radius and squared chords of it and of what lies a hair inside and outside. */
typedef struct {
    double radius_km, in2, low2, high2;
} Circle;

#define BINS 4096

static double squared_chord(double km) {
    double s = sin(km / (2.0 * EARTH_KM));
    return 4.0 * s * s;
}

/* 2 R asin(chord / 2) by its series: the first term left out is below 1e-17 of the sum up to 200 km, 2e-15 up to 500 km. */
static double km_of(double chord2) {
    double q = 0.25 * chord2, s = sqrt(q);
    double p = 1.0 + q * (1.0 / 6 + q * (3.0 / 40 + q * (15.0 / 336 + q * (105.0 / 3456 + q * (945.0 / 42240)))));
    return 2.0 * EARTH_KM * s * p;
}

/* Bounds of sin^2(angle / 2) that need no library: y - y^3/6 <= sin y <= y, the left one rising up to y = sqrt 2. */
static double half_sine2_low(double angle) {
    double y = 0.5 * angle;
    if (y > 1.4) y = 1.4;
    y = y - y * y * y / 6.0;
    return y * y;
}

static double half_sine2_high(double angle) { return 0.25 * angle * angle; }

/* Room for so many entries more. */
static inline int reserve(Work *w, int64_t more) {
    if (w->size + more <= w->room) return 1;
    int64_t room = 2 * w->room > w->size + more ? 2 * w->room : w->size + more;
    Entry *grown = realloc(w->entry, (size_t)room * sizeof(Entry));
    if (!grown) return 0;
    w->entry = grown;
    int32_t *positions = realloc(w->close, (size_t)room * sizeof(int32_t));
    if (!positions) return 0;
    w->close = positions;
    w->room = room;
    return 1;
}

/* Road km of a cluster; `unsure` where the band hangs on a hair, then the shorter of the two roads. */
static inline double road_of(const Pool *p, const double *edge2, const Cluster *c, double chord2, int *unsure) {
    const double *factor = p->factor + (int64_t)c->zone * p->bands;
    double km = km_of(chord2), road;
    int64_t band = 0;
    *unsure = 0;
    for (int64_t b = 0; b < p->bands - 1; b++) band += chord2 >= edge2[b];
    road = km * factor[band];
    if (band > 0 && km - p->edge_km[band - 1] < EDGE_KM) {
        double other = km * factor[band - 1];
        if (other != road) *unsure = 1;
        if (other < road) road = other;
    }
    if (band < p->bands - 1 && p->edge_km[band] - km < EDGE_KM) {
        double other = km * factor[band + 1];
        if (other != road) *unsure = 1;
        if (other < road) road = other;
    }
    return road > MIN_HAUL_KM ? road : MIN_HAUL_KM;
}

/* Least road km to a block that is at least `near` and at most `far` km away; its clusters lie in `bands` bands from `first` on. */
static double least_road(const Pool *p, int64_t block, double near, double far, int64_t *first, int64_t *bands) {
    const double *factor = p->block_factor + block * p->bands;
    double best = INFINITY;
    *bands = 0;
    for (int64_t b = 0; b < p->bands; b++) {
        double low = b > 0 ? p->edge_km[b - 1] : 0.0;
        if (b > 0 && low > far + 2.0 * EDGE_KM) break;
        if (b < p->bands - 1 && p->edge_km[b] < near - 2.0 * EDGE_KM) continue;
        double road = (low > near ? low : near) * factor[b];
        if (road < best) best = road;
        if (!(*bands)++) *first = b;
    }
    best *= 1.0 - 1e-9;
    return best > MIN_HAUL_KM ? best : MIN_HAUL_KM;
}

/* Tons of the clusters of an edge block inside the circle, in four lanes whatever the machine's vectors. */
static double edge_tons(const Pool *p, int64_t start, int64_t stop, const Site *s, const Circle *c, int64_t *count, int *unsure) {
    double lane[4] = {0, 0, 0, 0}, inner[4] = {0, 0, 0, 0}, outer[4] = {0, 0, 0, 0};
    int64_t i = start;
    const double *x = p->x, *y = p->y, *z = p->z, *t = p->tons;
    const double sx = s->x, sy = s->y, sz = s->z, in2 = c->in2, low2 = c->low2, high2 = c->high2;
    for (; i + 4 <= stop; i += 4)
        for (int k = 0; k < 4; k++) {
            double dx = x[i + k] - sx, dy = y[i + k] - sy, dz = z[i + k] - sz;
            double c2 = dx * dx + dy * dy + dz * dz;
            lane[k] += c2 <= in2 ? t[i + k] : 0.0;
            inner[k] += c2 < low2 ? 1.0 : 0.0;
            outer[k] += c2 < high2 ? 1.0 : 0.0;
        }
    for (; i < stop; i++) {
        double dx = x[i] - sx, dy = y[i] - sy, dz = z[i] - sz;
        double c2 = dx * dx + dy * dy + dz * dz;
        lane[0] += c2 <= in2 ? t[i] : 0.0;
        inner[0] += c2 < low2 ? 1.0 : 0.0;
        outer[0] += c2 < high2 ? 1.0 : 0.0;
    }
    double within = (inner[0] + inner[1]) + (inner[2] + inner[3]);
    *count += (int64_t)within;
    if (within != (outer[0] + outer[1]) + (outer[2] + outer[3])) *unsure = 1;
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

/* Angles that are taken a hair wider, against rounding. */
#define PAD 1e-11
#define HALF_TURN 3.14159265358979323846

/* Rows and columns that the circle may touch, and the bounds by column. */
static void look_around(View *v, const Circle *c, const Site *s) {
    const Grid *g = v->grid;
    double angle = c->radius_km / EARTH_KM * (1.0 + 1e-9) + PAD;
    v->r0 = (int64_t)floor((s->lat - angle - g->lat0) / g->dlat) - 1;
    v->r1 = (int64_t)floor((s->lat + angle - g->lat0) / g->dlat) + 1;
    if (v->r0 < 0) v->r0 = 0;
    if (v->r1 > g->rows - 1) v->r1 = g->rows - 1;
    v->c0 = 0;
    v->c1 = g->cols - 1;
    if (v->r0 > v->r1) return;
    double flattest = fmin(v->cos_low[v->r0], v->cos_low[v->r1]);
    double share = 0.5 * sqrt(c->high2 / fmax(flattest * s->cos_lat, 1e-12));
    double half = share < 1.0 ? 2.0 * asin(share) * (1.0 + 1e-9) + PAD : HALF_TURN;
    if (half < HALF_TURN / 2 && s->lon - half > -HALF_TURN && s->lon + half < HALF_TURN) {
        v->c0 = (int64_t)floor((s->lon - half - g->lon0) / g->dlon) - 1;
        v->c1 = (int64_t)floor((s->lon + half - g->lon0) / g->dlon) + 1;
        if (v->c0 < 0) v->c0 = 0;
        if (v->c1 > g->cols - 1) v->c1 = g->cols - 1;
    }
    for (int64_t k = v->c0; k <= v->c1; k++) {
        double west = g->lon0 + (double)k * g->dlon - PAD - s->lon, east = west + g->dlon + 2.0 * PAD;
        double near = west > 0.0 ? west : east < 0.0 ? -east : 0.0, far = -west > east ? -west : east;
        /* Across the date line differences say nothing: no bound. */
        v->near[k] = far > HALF_TURN ? 0.0 : half_sine2_low(near);
        v->far[k] = far > HALF_TURN ? 1e3 : half_sine2_high(far);
    }
}

/* Bounds by row: sin^2 of half the difference in latitude, and what multiplies the bounds by column. */
typedef struct {
    double near, far, shrink, widen;
} Row;

static Row row_bounds(const View *v, const Site *s, int64_t r) {
    double south = v->grid->lat0 + (double)r * v->grid->dlat - PAD - s->lat, north = south + v->grid->dlat + 2.0 * PAD;
    double near = south > 0.0 ? south : north < 0.0 ? -north : 0.0, far = -south > north ? -south : north;
    Row row = {half_sine2_low(near), half_sine2_high(far), v->cos_low[r] * s->cos_lat * (1.0 - 1e-12),
               v->cos_high[r] * s->cos_lat * (1.0 + 1e-12)};
    return row;
}

/* Tons and clusters in the circle. Cells wholly inside are contiguous in a row and come from sums made beforehand. */
static double survey(const Pool *p, const View *v, const Circle *c, const Site *s, int64_t *count, int *unsure) {
    double total = 0.0, reach2 = 0.25 * c->high2 * (1.0 + 1e-9), inside2 = 0.25 * c->low2 * (1.0 - 1e-9);
    *count = 0;
    *unsure = 0;
    for (int64_t r = v->r0; r <= v->r1; r++) {
        Row row = row_bounds(v, s, r);
        const int64_t *offset = v->grid->offset + r * v->grid->cols;
        if (row.near > reach2) continue;
        double touched = (reach2 - row.near) / row.shrink, inner = (inside2 - row.far) / row.widen;
        int64_t west = v->c0, east = v->c1, from, upto;
        /* Neighbouring edge cells are one stretch of clusters. */
        while (west <= east && v->near[west] > touched) west++;
        while (east >= west && v->near[east] > touched) east--;
        from = west;
        while (west <= east && v->far[west] >= inner) west++;
        if (west > from) total += edge_tons(p, offset[from], offset[west], s, c, count, unsure);
        upto = east;
        while (east >= west && v->far[east] >= inner) east--;
        if (upto > east) total += edge_tons(p, offset[east + 1], offset[upto + 1], s, c, count, unsure);
        if (west <= east) {
            const double *before = p->tons_before + r * (v->grid->cols + 1);
            total += before[east + 1] - before[west];
            *count += offset[east + 1] - offset[west];
        }
    }
    return total;
}

/* A score below which no cluster of the circle lies. */
static double lowest(const Pool *p, const View *v) {
    double low = INFINITY;
    for (int64_t r = v->r0; r <= v->r1; r++)
        for (int64_t k = v->c0; k <= v->c1; k++) low = fmin(low, p->first_g[r * v->grid->cols + k]);
    return low + p->key_tau * MIN_HAUL_KM;
}

/* Score some clusters of a block and keep those of the circle whose score is at most T; returns their tons. */
static inline double take_up(const Pool *p, Work *w, const Circle *c, const Site *s, double T, int64_t start, int64_t upto,
                             int64_t first, int64_t bands) {
    /* Of one or two bands the factor is picked without a search; on their edge, and of more, as `road_of` does. */
    const int64_t second = bands == 2 ? first + 1 : first;
    const double edge = bands == 2 ? w->edge2[first] : INFINITY;
    const double low = bands == 2 ? w->edge_low2[first] : INFINITY, high = bands == 2 ? w->edge_high2[first] : INFINITY;
    const double sx = s->x, sy = s->y, sz = s->z, tau = p->key_tau, in2 = c->in2;
    double tons = 0.0, surely = 0.0;
    int64_t size = w->size, closes = w->closes;
    for (int64_t i = start; i < upto; i++) {
        const Cluster *q = &p->cluster[i];
        double dx = q->x - sx, dy = q->y - sy, dz = q->z - sz, c2 = dx * dx + dy * dy + dz * dz;
        int unsure = 0;
        double road;
        if (bands > 2 || (c2 > low && c2 < high)) {
            road = road_of(p, w->edge2, q, c2, &unsure);
        } else {
            road = km_of(c2) * p->factor[(int64_t)q->zone * p->bands + (c2 >= edge ? second : first)];
            road = road > MIN_HAUL_KM ? road : MIN_HAUL_KM;
        }
        double key = q->g + tau * road;
        /* Always written, kept by counting it: whether a cluster stays cannot be foreseen. */
        int stays = (c2 <= in2) & (key <= T);
        Entry *e = &w->entry[size];
        e->key = key;
        e->road = road;
        e->tons = q->tons;
        e->at = (int32_t)i;
        e->unsure = unsure;
        w->close[closes] = (int32_t)size;
        closes += stays & (key > w->sure);
        size += stays;
        tons += stays ? q->tons : 0.0;
        surely += stays & (key <= w->sure) ? q->tons : 0.0;
    }
    w->size = size;
    w->closes = closes;
    w->sure_tons += surely;
    return tons;
}

/* Every cluster of the circle whose score is at most T; returns their tons, or -1 without memory. */
static double gather(const Pool *p, Work *w, const Circle *c, const Site *s, double T) {
    const View *v = &w->blocks;
    const int64_t cols = v->grid->cols, *offset = v->grid->offset;
    double tons = 0.0, reach2 = 0.25 * c->high2 * (1.0 + 1e-9);
    const double tau = p->key_tau, tau_chord = 2.0 * EARTH_KM * tau * (1.0 - 1e-9); /* a chord is no longer than its arc */
    w->size = w->closes = 0;
    w->sure_tons = 0.0;
    w->rounds++;
    for (int64_t r = v->r0; r <= v->r1; r++) {
        Row row = row_bounds(v, s, r);
        if (row.near > reach2) continue;
        const double *first_g = p->first_g + r * cols, *least_factor = p->least_factor + r * cols;
        /* Which blocks can hold anything, without a branch that would be guessed wrong a few hundred times. */
        int64_t some = 0, west = v->c0, east = v->c1;
        double touched = (reach2 - row.near) / row.shrink;
        while (west <= east && v->near[west] > touched) west++;
        while (east >= west && v->near[east] > touched) east--;
        for (int64_t k = west; k <= east; k++) {
            double room = T - first_g[k], near2 = row.near + row.shrink * v->near[k], per_chord = tau_chord * least_factor[k];
            w->some[some] = (int32_t)k;
            some += (room >= 0.0) & !(per_chord * per_chord * near2 > room * room);
        }
        for (int64_t j = 0; j < some; j++) {
            int64_t k = w->some[j], start = offset[r * cols + k], stop = offset[r * cols + k + 1], first = 0, bands;
            double near = 2.0 * EARTH_KM * (1.0 - 1e-12) * sqrt(row.near + row.shrink * v->near[k]);
            double far2 = row.far + row.widen * v->far[k], far = far2 < 0.0025 ? km_of(4.0 * far2) + 1e-6 : INFINITY;
            double room = T - tau * least_road(p, r * cols + k, near, far, &first, &bands);
            int64_t upto = start;
            while (upto < stop && p->cluster[upto].g <= room) upto++;
            if (!reserve(w, upto - start)) return -1.0;
            tons += take_up(p, w, c, s, T, start, upto, first, bands);
        }
    }
    return tons;
}

/* The plain way: one loop over every cluster in the blocks that the circle touches, each tested, costed and kept as it comes. */
static double gather_all(const Pool *p, Work *w, const Circle *c, const Site *s) {
    const View *v = &w->blocks;
    const int64_t cols = v->grid->cols, *offset = v->grid->offset;
    double tons = 0.0, reach2 = 0.25 * c->high2 * (1.0 + 1e-9);
    w->size = w->closes = 0;
    w->sure_tons = 0.0;
    w->rounds++;
    for (int64_t r = v->r0; r <= v->r1; r++) {
        Row row = row_bounds(v, s, r);
        if (row.near > reach2) continue;
        int64_t west = v->c0, east = v->c1;
        double touched = (reach2 - row.near) / row.shrink;
        while (west <= east && v->near[west] > touched) west++;
        while (east >= west && v->near[east] > touched) east--;
        if (west > east) continue;
        int64_t start = offset[r * cols + west], stop = offset[r * cols + east + 1];
        if (!reserve(w, stop - start)) return -1.0;
        tons += take_up(p, w, c, s, INFINITY, start, stop, 0, MAX_BANDS);
    }
    return tons;
}

static double unit_of(const Pool *p, const Entry *e) {
    return p->cluster[e->at].harvest + p->tau * e->road + p->unloading;
}

typedef struct {
    double key, unit;
} Cut;

static int after_cut(const Pool *p, const Entry *e, const Cut *cut) {
    if (e->key != cut->key) return e->key > cut->key;
    return unit_of(p, e) > cut->unit;
}

typedef struct {
    double key, unit, tons;
} Ranked;

static int by_rank(const void *a, const void *b) {
    const Ranked *l = a, *r = b;
    if (l->key != r->key) return l->key < r->key ? -1 : 1;
    if (l->unit != r->unit) return l->unit < r->unit ? -1 : 1;
    return 0;
}

/* Score and unit cost of the last cluster taken: tons by bins of score, the marginal bin in order. 0 without memory. */
static int find_cut(const Pool *p, Work *w, double demand, Cut *cut) {
    if (w->sure_tons >= demand) {
        /* The cut lies lower than was thought: look at everything. */
        for (int64_t i = 0; i < w->size; i++) w->close[i] = (int32_t)i;
        w->closes = w->size;
        w->sure_tons = 0.0;
    }
    double low = INFINITY, high = -INFINITY;
    const int64_t n = w->closes;
    for (int64_t i = 0; i < n; i++) {
        double key = w->entry[w->close[i]].key;
        if (key < low) low = key;
        if (key > high) high = key;
    }
    int64_t bins = n / 4 < 16 ? 16 : n / 4 > BINS ? BINS : n / 4, at = 0, few = 0;
    double scale = high > low ? (double)(bins - 1) / (high - low) : 0.0, reached = w->sure_tons;
    memset(w->bin, 0, (size_t)bins * sizeof(double));
    for (int64_t i = 0; i < n; i++) {
        const Entry *e = &w->entry[w->close[i]];
        w->bin[(int64_t)((e->key - low) * scale)] += e->tons;
    }
    while (at < bins - 1 && reached + w->bin[at] < demand) reached += w->bin[at++];
    for (int64_t i = 0; i < n; i++) few += (int64_t)((w->entry[w->close[i]].key - low) * scale) == at;
    Ranked fixed[256], *ranked = few > 256 ? malloc((size_t)few * sizeof(Ranked)) : fixed;
    if (!ranked) return 0;
    few = 0;
    for (int64_t i = 0; i < n; i++) {
        const Entry *e = &w->entry[w->close[i]];
        if ((int64_t)((e->key - low) * scale) != at) continue;
        Ranked r = {e->key, unit_of(p, e), e->tons};
        int64_t j = few++;
        while (ranked == fixed && j > 0 && by_rank(&ranked[j - 1], &r) > 0) {
            ranked[j] = ranked[j - 1];
            j--;
        }
        ranked[j] = r;
    }
    if (ranked != fixed) qsort(ranked, (size_t)few, sizeof(Ranked), by_rank);
    for (int64_t i = 0; i < few; i++) {
        reached += ranked[i].tons;
        cut->key = ranked[i].key;
        cut->unit = ranked[i].unit;
        if (reached >= demand) break;
    }
    if (ranked != fixed) free(ranked);
    return 1;
}

/* Sums over what the cut takes, in the blocks' order. Returns 1 where the reference has to decide. */
static int settle(const Pool *p, const Work *w, double demand, const Cut *cut, double tie, double *out) {
    double tons = 0, harvest = 0, road = 0, burn = 0, known = 0, acres = 0, high = 0, last = -INFINITY, least = 0;
    int64_t count = 0, same = 0;
    int classed = 0;
    double unit_tie = TIE_REL * (fabs(cut->unit) + 100.0);
    for (int64_t i = 0; i < w->size; i++) {
        const Entry *e = &w->entry[i];
        if (e->unsure && e->key <= cut->key + tie) return 1;
        double away = fabs(e->key - cut->key);
        if (away <= tie) {
            /* Where cost has no part in the score, equal scores are equal to the last bit and cost decides. */
            if (p->key_tau > 0.0 || (away == 0.0 && fabs(unit_of(p, e) - cut->unit) <= unit_tie)) same++;
        }
        if (after_cut(p, e, cut)) continue;
        const Cluster *c = &p->cluster[e->at];
        double unit = unit_of(p, e);
        tons += c->tons;
        harvest += c->harvest * c->tons;
        road += e->road * c->tons;
        acres += c->acres;
        high += c->high > 0 ? (double)c->acres : 0.0;
        classed |= c->high >= 0;
        if (c->burn == c->burn) {
            burn += (double)c->burn * c->tons;
            known += c->tons;
        }
        if (unit > last) last = unit;
        if (e->key == cut->key && unit == cut->unit) least = c->tons;
        count++;
    }
    if (same != 1) return 1;
    if (tons < demand * (1.0 + TONS_REL) || tons - least > demand * (1.0 - TONS_REL)) return 1;
    out[HARVEST] = harvest / tons;
    out[HAUL] = p->tau * (road / tons);
    out[AVERAGE] = out[HARVEST] + out[HAUL] + p->unloading;
    out[LAST_TON] = last;
    out[TAKEN] = tons;
    out[CLUSTERS] = (double)count;
    out[BURN] = known > 0 ? burn / known : NAN;
    out[ROAD] = road / tons;
    out[ACRES] = acres;
    out[HIGH_ACRES] = classed ? high : NAN;
    out[MET] = 1.0;
    return 0;
}

static void close_view(View *v) {
    free(v->near);
    free(v->far);
    free(v->cos_low);
    free(v->cos_high);
}

static int open_view(View *v, const Grid *g) {
    v->grid = g;
    v->near = malloc((size_t)g->cols * sizeof(double));
    v->far = malloc((size_t)g->cols * sizeof(double));
    v->cos_low = malloc((size_t)g->rows * sizeof(double));
    v->cos_high = malloc((size_t)g->rows * sizeof(double));
    if (!(v->near && v->far && v->cos_low && v->cos_high)) return 0;
    for (int64_t r = 0; r < g->rows; r++) {
        double south = g->lat0 + (double)r * g->dlat - PAD, north = g->lat0 + (double)(r + 1) * g->dlat + PAD;
        v->cos_low[r] = fmax(fmin(cos(south), cos(north)), 1e-12);
        v->cos_high[r] = south * north < 0 ? 1.0 : fmax(cos(south), cos(north));
    }
    return 1;
}

static void release(Work *w) {
    close_view(&w->blocks);
    close_view(&w->cells);
    free(w->entry);
    free(w->close);
    free(w->some);
    free(w->bin);
}

static int prepare(const Pool *p, Work *w) {
    memset(w, 0, sizeof(*w));
    if (p->bands > MAX_BANDS) return 0;
    w->room = 4096;
    w->entry = malloc((size_t)w->room * sizeof(Entry));
    w->close = malloc((size_t)w->room * sizeof(int32_t));
    w->some = malloc((size_t)p->blocks.cols * sizeof(int32_t));
    w->bin = malloc(BINS * sizeof(double));
    if (!(open_view(&w->blocks, &p->blocks) && open_view(&w->cells, &p->cells) && w->entry && w->close && w->some && w->bin)) {
        release(w);
        return 0;
    }
    for (int64_t b = 0; b + 1 < p->bands; b++) {
        w->edge2[b] = squared_chord(p->edge_km[b]);
        w->edge_low2[b] = squared_chord(fmax(p->edge_km[b] - 2.0 * EDGE_KM, 0.0));
        w->edge_high2[b] = squared_chord(p->edge_km[b] + 2.0 * EDGE_KM);
    }
    return 1;
}

/* Figures of `n` sites, FIGURES doubles each, and a flag each: 0 done, 1 left to the reference.
   lat, lon in radians, xyz their unit vectors. brute: every cluster of every circle is costed, the plain way that the search
   is measured against. Returns how often clusters were gathered, or -1 without memory. */
API int64_t csrag_statewide(const Pool *p, int64_t n, const double *lat, const double *lon, const double *xyz, double demand,
                            double radius_km, int64_t brute, double *out, int8_t *flag) {
    Work w;
    if (!prepare(p, &w)) return -1;
    Circle c = {radius_km, squared_chord(radius_km), squared_chord(fmax(radius_km - EDGE_KM, 0.0)),
                squared_chord(radius_km + EDGE_KM)};
    double cut_before = NAN, lat_before = 0, lon_before = 0, drift = 0.3 * p->slack_per_rad;
    int failed = 0;
    for (int64_t i = 0; i < n && !failed; i++) {
        double *row = out + i * FIGURES;
        Site s = {lat[i], lon[i], cos(lat[i]), xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]};
        int64_t count;
        int unsure;
        for (int f = 0; f < FIGURES; f++) row[f] = NAN;
        row[MET] = 0.0;
        flag[i] = 1;
        look_around(&w.blocks, &c, &s);
        look_around(&w.cells, &c, &s);
        double available = survey(p, &w.cells, &c, &s, &count, &unsure);
        row[AVAILABLE] = available;
        if (unsure || fabs(available - demand) <= demand * TONS_REL + 1e-6) continue;
        if (available < demand) {
            row[TAKEN] = available;
            row[CLUSTERS] = (double)count;
            flag[i] = 0;
            continue;
        }
        double T, step = p->step, moved = 0.0;
        w.sure = -INFINITY;
        if (brute) {
            T = INFINITY;
        } else if (cut_before == cut_before) {
            double dlat = lat[i] - lat_before, dlon = (lon[i] - lon_before) * s.cos_lat;
            moved = sqrt(dlat * dlat + dlon * dlon);
            /* As far as cuts have moved from site to site, and some; that is what a second gathering costs less than. */
            step = GRANTED * drift * moved + p->step / 64.0;
            T = cut_before + step;
            w.sure = cut_before - step;
        } else {
            T = lowest(p, &w.blocks) + step;
        }
        Cut cut = {0.0, 0.0};
        for (;;) {
            double got = brute ? gather_all(p, &w, &c, &s) : gather(p, &w, &c, &s, T);
            if (got < 0) {
                failed = 1;
                break;
            }
            if (got < demand) {
                if (w.size == count) break; /* all of it, short by a rounding: for the reference */
                T += step;
                step *= 2.0;
                continue;
            }
            if (!find_cut(p, &w, demand, &cut)) {
                failed = 1;
                break;
            }
            double tie = p->key_tau > 0.0 ? TIE_REL * (fabs(cut.key) + 100.0) : 0.0;
            if (T < cut.key + tie) {
                T = cut.key + 2.0 * tie;
                continue;
            }
            flag[i] = (int8_t)settle(p, &w, demand, &cut, tie, row);
            if (moved > 0.0) drift += 0.1 * (fabs(cut.key - cut_before) / moved - drift);
            cut_before = cut.key;
            lat_before = lat[i];
            lon_before = lon[i];
            break;
        }
    }
    int64_t rounds = w.rounds;
    release(&w);
    return failed ? -1 : rounds;
}

/* What the library was compiled from; a library of another source is not used. */
API const char *csrag_source(void) { return CSRAG_SOURCE; }
